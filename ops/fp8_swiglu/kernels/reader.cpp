// SPDX-License-Identifier: Apache-2.0
// Reads gate and up of 32 rows and 128 columns, with their scales, strip by strip.
#include "../../fp8_grouped_matmul/kernels/units.hpp"
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "args.hpp"

namespace {

using units::kBlock;
using units::word;

using namespace tessera::ops;
using namespace tessera::ops::fp8_swiglu;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbScales = index_of(Cb::Scales);
constexpr uint32_t kCbUnits = index_of(Cb::Units);
constexpr uint32_t kCbTable = index_of(Cb::Table);
constexpr uint32_t kCbScaleRow = index_of(Cb::ReadScaleRow);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;

// 128 columns of 32 rows.
struct Strip {
    uint32_t row;
    uint32_t count;  // number of rows that hold tokens
    uint32_t block;
};

// Rows after the last token are left as they are: a row's scale is its own.
void push_rows(const TensorAccessor& rows, const Strip& strip) {
    cb_reserve_back(kCbRows, kStripTiles);
    uint32_t l1_addr = get_write_ptr(kCbRows);
    for (uint32_t row = strip.row; row < strip.row + strip.count; ++row) {
        noc_async_read(rows.get_noc_addr(row, strip.block * kBlock), l1_addr, kBlock);
        l1_addr += kBlock;
    }
    // One barrier for 32 rows.
    noc_async_read_barrier();
    cb_push_back(kCbRows, kStripTiles);
}

void push_scales(const TensorAccessor& scales, const Strip& strip) {
    uint32_t row_l1 = get_write_ptr(kCbScaleRow);
    // A strip without tokens has no scales to read, but takes part in the hand-over.
    if (strip.count != 0) {
        row_l1 = units::read_words(scales, strip.block, strip.row * sizeof(uint32_t), row_l1,
                                   strip.count * sizeof(uint32_t));
        noc_async_read_barrier();
    }
    cb_reserve_back(kCbScales, 1);
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScales));
    // Into column 0, from where the unpacker spreads each over its row.
    for (uint32_t row = 0; row < strip.count; ++row) {
        tile[scale_rule::word_of_row(row)] = word(row_l1, row);
    }
    cb_push_back(kCbScales, 1);
}

}  // namespace

void kernel_main() {
    const auto index = fp8::CoreIndex::read();
    const auto args = ReaderArgs::read();
    const TensorAccessor rows(ReaderTensors::rows(),
                              ReaderTensors::rows_address(fp8::CoreIndex::kCount));
    const TensorAccessor scales(ReaderTensors::scales(),
                                ReaderTensors::scales_address(fp8::CoreIndex::kCount));
    const TensorAccessor limit(ReaderTensors::limit(),
                               ReaderTensors::limit_address(fp8::CoreIndex::kCount));
    const TensorAccessor num_ctas(ReaderTensors::num_ctas(),
                                  ReaderTensors::num_ctas_address(fp8::CoreIndex::kCount));

    // The number of live CTAs is read to the table's address before the table.
    const uint32_t limit_l1 = get_write_ptr(kCbTable);
    const uint32_t live = units::read_table(num_ctas, limit_l1, sizeof(uint32_t));
    units::read_table(limit, limit_l1, args.table_bytes);
    const units::Share share = units::share_of(live * args.n_blocks, index.core, index.num_cores);
    // The number is pushed first, because compute starts its loop with it.
    cb_reserve_back(kCbUnits, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbUnits)) =
        share.count * args.row_tiles;
    cb_push_back(kCbUnits, 1);
    for (uint32_t unit = share.first; unit < share.first + share.count; ++unit) {
        const uint32_t cta = unit / args.n_blocks;
        const uint32_t end = word(limit_l1, cta);
        for (uint32_t i = 0; i < args.row_tiles; ++i) {
            const uint32_t row = cta * args.tile + i * kTileRows;
            Strip strip{row, end > row ? smaller(end - row, kTileRows) : 0, 0};
            // Gate and then up, as compute takes them from one buffer.
            for (const uint32_t first : {args.first_gate, args.first_up}) {
                strip.block = first + unit % args.n_blocks;
                push_rows(rows, strip);
                push_scales(scales, strip);
            }
        }
    }
}
