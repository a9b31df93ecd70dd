// SPDX-License-Identifier: Apache-2.0
// Stores the rows of a CTA that hold tokens, 128 columns at a time, and makes and stores their
// scales where the output is fp8.
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "args.hpp"
#include "units.hpp"

namespace {

using units::kBlock;
using units::word;

using namespace tessera::ops;
using namespace tessera::ops::fp8_grouped_matmul;

constexpr uint32_t kCbLargest = index_of(Cb::Largest);
constexpr uint32_t kCbScale = index_of(Cb::Scale);
constexpr uint32_t kCbTable = index_of(Cb::WriterTable);
constexpr uint32_t kCbScaleRow = index_of(Cb::ScaleRow);
constexpr uint32_t kCbOut = index_of(Cb::Output);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;

// 32 rows of one block of columns.
struct Strip {
    uint32_t row;
    uint32_t count;  // number of rows that hold tokens
    uint32_t block;
};

// Hands compute the scales of 32 rows and stores those that count.
void make_scales(const TensorAccessor& scales, const Strip& strip) {
    noc_async_writes_flushed();  // for the previous row of scales
    auto* row_of_scales =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScaleRow));
    // Compute sends each row's largest elements; the scales go back before it makes codes.
    cb_wait_front(kCbLargest, 1);
    cb_reserve_back(kCbScale, 1);
    const auto* largest = reinterpret_cast<tt_l1_ptr uint32_t*>(get_read_ptr(kCbLargest));
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScale));
    for (uint32_t row = 0; row < kTileRows; ++row) {
        scale_rule::FloatWord scale;
        scale.value =
            scale_rule::scale_of(scale_rule::largest_of_row(largest, row), ScaleRule::Trtllm);
        tile[scale_rule::word_of_row(row)] = scale.bits;
        row_of_scales[row] = scale.bits;
    }
    cb_push_back(kCbScale, 1);
    cb_pop_front(kCbLargest, 1);
    // Strips without tokens take part in the hand-over, but store nothing.
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
    // The strip's data has left L1; one barrier at the end waits for arrival.
    noc_async_writes_flushed();
    cb_pop_front(kCbOut, kStripTiles);
}

}  // namespace

void kernel_main() {
    const auto index = fp8::CoreIndex::read();
    const auto args = WriterArgs::read();
    const TensorAccessor limit(WriterTensors::limit(),
                               WriterTensors::limit_address(fp8::CoreIndex::kCount));
    const TensorAccessor num_ctas(WriterTensors::num_ctas(),
                                  WriterTensors::num_ctas_address(fp8::CoreIndex::kCount));
    const TensorAccessor out(WriterTensors::output(),
                             WriterTensors::output_address(fp8::CoreIndex::kCount));
    const TensorAccessor scales(WriterTensors::scales(),
                                WriterTensors::scales_address(fp8::CoreIndex::kCount));

    const uint32_t limit_l1 = get_write_ptr(kCbTable);
    const uint32_t live = units::read_table(num_ctas, limit_l1, sizeof(uint32_t));
    units::read_table(limit, limit_l1, args.table_bytes);
    // The same share as the reader's, from the same counts.
    const units::Share share = units::share_of(live * args.n_blocks, index.core, index.num_cores);
    for (uint32_t unit = share.first; unit < share.first + share.count; ++unit) {
        const uint32_t cta = unit / args.n_blocks;
        const uint32_t end = word(limit_l1, cta);
        for (uint32_t i = 0; i < args.row_tiles; ++i) {
            const uint32_t row = cta * args.tile + i * kTileRows;
            const Strip strip{row, end > row ? smaller(end - row, kTileRows) : 0,
                              unit % args.n_blocks};
            if (args.quantises != 0) {
                make_scales(scales, strip);
            }
            store_rows(out, strip, kBlock * args.element_bytes);
        }
    }
    noc_async_write_barrier();
}
