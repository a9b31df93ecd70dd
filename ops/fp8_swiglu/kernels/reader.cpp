// SPDX-License-Identifier: Apache-2.0
// Brings gate and up of 32 rows and 128 columns, with their scales, strip by strip.
#include "../../fp8_grouped_matmul/kernels/units.hpp"
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"

namespace {

using units::kBlock;
using units::word;

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbScales = 3;
constexpr uint32_t kCbUnits = 10;
constexpr uint32_t kCbTable = 12;
constexpr uint32_t kCbScaleRow = 13;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;

// 128 columns of 32 rows.
struct Strip {
    uint32_t row;
    uint32_t count;  // of rows that hold tokens
    uint32_t block;
};

// Rows behind the last token are left as they are: a row's scale is its own.
void push_rows(const TensorAccessor& rows, const Strip& strip) {
    cb_reserve_back(kCbRows, kStripTiles);
    uint32_t l1_addr = get_write_ptr(kCbRows);
    for (uint32_t row = strip.row; row < strip.row + strip.count; ++row) {
        noc_async_read(rows.get_noc_addr(row, strip.block * kBlock), l1_addr, kBlock);
        l1_addr += kBlock;
    }
    noc_async_read_barrier();
    cb_push_back(kCbRows, kStripTiles);
}

void push_scales(const TensorAccessor& scales, const Strip& strip) {
    uint32_t row_l1 = get_write_ptr(kCbScaleRow);
    if (strip.count != 0) {
        row_l1 = units::read_words(scales, strip.block, strip.row * sizeof(uint32_t), row_l1,
                                   strip.count * sizeof(uint32_t));
        noc_async_read_barrier();
    }
    cb_reserve_back(kCbScales, 1);
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScales));
    for (uint32_t row = 0; row < strip.count; ++row) {
        tile[scale_rule::word_of_row(row)] = word(row_l1, row);
    }
    cb_push_back(kCbScales, 1);
}

}  // namespace

void kernel_main() {
    const uint32_t core = get_arg_val<uint32_t>(0);
    const uint32_t num_cores = get_arg_val<uint32_t>(1);
    const uint32_t n_blocks = get_compile_time_arg_val(0);  // of the output
    const uint32_t tile = get_compile_time_arg_val(1);
    const uint32_t row_tiles = get_compile_time_arg_val(2);
    const uint32_t first_gate = get_compile_time_arg_val(3);  // blocks of the input
    const uint32_t first_up = get_compile_time_arg_val(4);
    const uint32_t table_bytes = get_compile_time_arg_val(5);
    const TensorAccessor rows(TensorAccessorArgs<6>(), get_arg_val<uint32_t>(2));
    const TensorAccessor scales(TensorAccessorArgs<8>(), get_arg_val<uint32_t>(3));
    const TensorAccessor limit(TensorAccessorArgs<10>(), get_arg_val<uint32_t>(4));
    const TensorAccessor num_ctas(TensorAccessorArgs<12>(), get_arg_val<uint32_t>(5));

    const uint32_t limit_l1 = get_write_ptr(kCbTable);
    const uint32_t live = units::read_table(num_ctas, limit_l1, sizeof(uint32_t));
    units::read_table(limit, limit_l1, table_bytes);
    const units::Share share = units::share_of(live * n_blocks, core, num_cores);
    cb_reserve_back(kCbUnits, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbUnits)) =
        share.count * row_tiles;
    cb_push_back(kCbUnits, 1);
    for (uint32_t unit = share.first; unit < share.first + share.count; ++unit) {
        const uint32_t cta = unit / n_blocks;
        const uint32_t end = word(limit_l1, cta);
        for (uint32_t i = 0; i < row_tiles; ++i) {
            const uint32_t row = cta * tile + i * kTileRows;
            Strip strip{row, end > row ? smaller(end - row, kTileRows) : 0, 0};
            for (const uint32_t first : {first_gate, first_up}) {
                strip.block = first + unit % n_blocks;
                push_rows(rows, strip);
                push_scales(scales, strip);
            }
        }
    }
}
