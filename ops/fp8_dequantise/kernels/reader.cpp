// SPDX-License-Identifier: Apache-2.0
// Brings 32 rows of 128 codes at a time, with the scale of each row's block in column 0 of a tile.
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::fp8_dequantise;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbScale = index_of(Cb::Scale);
constexpr uint32_t kCbScaleRows = index_of(Cb::ScaleRows);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;

// Pushes `count` rows of 128 codes. The barrier covers the scales, too, at the first block.
template <class Accessor>
void push_codes(const Accessor& codes, const ReaderArgs& args, uint32_t first, uint32_t count,
                uint32_t column) {
    cb_reserve_back(kCbRows, kStripTiles);
    uint32_t l1_addr = get_write_ptr(kCbRows);
    for (uint32_t row = first; row < first + count; ++row) {
        noc_async_read(codes.get_noc_addr(row, column), l1_addr,
                       smaller(kBlock, args.columns - column));
        l1_addr += kBlock;
    }
    noc_async_read_barrier();
    cb_push_back(kCbRows, kStripTiles);
}

// Pushes the scales of a block in column 0, from where the unpacker spreads each over its row.
void push_scales(const ReaderArgs& args, uint32_t count, uint32_t block) {
    const uint32_t scales_l1 = get_write_ptr(kCbScaleRows);
    cb_reserve_back(kCbScale, 1);
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScale));
    for (uint32_t row = 0; row < count; ++row) {
        tile[scale_rule::word_of_row(row)] = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(
            scales_l1 + row * args.scale_stride)[block];
    }
    cb_push_back(kCbScale, 1);
}

}  // namespace

void kernel_main() {
    const auto range = fp8::GroupRange::read();
    const auto args = ReaderArgs::read();
    const TensorAccessor codes(ReaderTensors::codes(),
                               ReaderTensors::codes_address(fp8::GroupRange::kCount));
    const TensorAccessor scales(ReaderTensors::scales(),
                                ReaderTensors::scales_address(fp8::GroupRange::kCount));

    const uint32_t last_block = args.scale_bytes / sizeof(uint32_t) - 1;
    for (uint32_t group = range.first_group; group < range.first_group + range.num_groups;
         ++group) {
        const uint32_t first = group * kTileRows;
        const uint32_t count = smaller(kTileRows, args.rows - first);
        // Scales of a group are read once, for all of its blocks.
        for (uint32_t row = 0; row < count; ++row) {
            noc_async_read(scales.get_noc_addr((first + row) / args.block_rows),
                           get_write_ptr(kCbScaleRows) + row * args.scale_stride, args.scale_bytes);
        }
        for (uint32_t column = 0; column < args.columns; column += kBlock) {
            push_codes(codes, args, first, count, column);
            // One scale for a whole row serves all of its blocks.
            push_scales(args, count, smaller(column / kBlock, last_block));
        }
    }
}
