// SPDX-License-Identifier: Apache-2.0
// Stores the rows of a CTA that hold tokens, 128 columns at a time, and makes and stores their
// scales where the output is fp8.
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "units.hpp"

namespace {

using units::kBlock;
using units::word;

constexpr uint32_t kCbLargest = 6;
constexpr uint32_t kCbScale = 7;
constexpr uint32_t kCbTable = 15;
constexpr uint32_t kCbScaleRow = 17;
constexpr uint32_t kCbOut = 16;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;

// 32 rows of one block of columns.
struct Strip {
    uint32_t row;
    uint32_t count;  // of rows that hold tokens
    uint32_t block;
};

// Hands compute the scales of 32 rows and stores those that count.
void make_scales(const TensorAccessor& scales, const Strip& strip) {
    noc_async_writes_flushed();  // of the row of scales before
    auto* row_of_scales =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScaleRow));
    cb_wait_front(kCbLargest, 1);
    cb_reserve_back(kCbScale, 1);
    const auto* largest = reinterpret_cast<tt_l1_ptr uint32_t*>(get_read_ptr(kCbLargest));
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScale));
    for (uint32_t row = 0; row < kTileRows; ++row) {
        scale_rule::FloatWord scale;
        scale.value =
            scale_rule::scale_of(scale_rule::largest_of_row(largest, row), scale_rule::kTrtllm);
        tile[scale_rule::word_of_row(row)] = scale.bits;
        row_of_scales[row] = scale.bits;
    }
    cb_push_back(kCbScale, 1);
    cb_pop_front(kCbLargest, 1);
    if (strip.count != 0) {
        noc_async_write(get_write_ptr(kCbScaleRow),
                        scales.get_noc_addr(strip.block, strip.row * sizeof(uint32_t)),
                        strip.count * sizeof(uint32_t));
    }
}

void store_rows(const TensorAccessor& out, const Strip& strip, uint32_t row_bytes) {
    cb_wait_front(kCbOut, kStripTiles);
    uint32_t l1_addr = get_read_ptr(kCbOut);
    for (uint32_t row = strip.row; row < strip.row + strip.count; ++row) {
        noc_async_write(l1_addr, out.get_noc_addr(row, strip.block * row_bytes), row_bytes);
        l1_addr += row_bytes;
    }
    noc_async_writes_flushed();
    cb_pop_front(kCbOut, kStripTiles);
}

}  // namespace

void kernel_main() {
    const uint32_t core = get_arg_val<uint32_t>(0);
    const uint32_t num_cores = get_arg_val<uint32_t>(1);
    const uint32_t n_blocks = get_compile_time_arg_val(0);
    const uint32_t tile = get_compile_time_arg_val(1);
    const uint32_t row_tiles = get_compile_time_arg_val(2);
    const uint32_t element_bytes = get_compile_time_arg_val(3);
    const bool quantises = get_compile_time_arg_val(4) != 0;
    const uint32_t table_bytes = get_compile_time_arg_val(5);
    const TensorAccessor limit(TensorAccessorArgs<6>(), get_arg_val<uint32_t>(2));
    const TensorAccessor num_ctas(TensorAccessorArgs<8>(), get_arg_val<uint32_t>(3));
    const TensorAccessor out(TensorAccessorArgs<10>(), get_arg_val<uint32_t>(4));
    const TensorAccessor scales(TensorAccessorArgs<12>(), get_arg_val<uint32_t>(5));

    const uint32_t limit_l1 = get_write_ptr(kCbTable);
    const uint32_t live = units::read_table(num_ctas, limit_l1, sizeof(uint32_t));
    units::read_table(limit, limit_l1, table_bytes);
    const units::Share share = units::share_of(live * n_blocks, core, num_cores);
    for (uint32_t unit = share.first; unit < share.first + share.count; ++unit) {
        const uint32_t cta = unit / n_blocks;
        const uint32_t end = word(limit_l1, cta);
        for (uint32_t i = 0; i < row_tiles; ++i) {
            const uint32_t row = cta * tile + i * kTileRows;
            const Strip strip{row, end > row ? smaller(end - row, kTileRows) : 0, unit % n_blocks};
            if (quantises) {
                make_scales(scales, strip);
            }
            store_rows(out, strip, kBlock * element_bytes);
        }
    }
    noc_async_write_barrier();
}
