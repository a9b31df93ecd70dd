// SPDX-License-Identifier: Apache-2.0
// Makes the scales of each block from its largest magnitudes, and stores codes and scales.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_counts = index_of(Cb::WriterCounts);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;

struct Shapes {
    uint32_t columns;
    ScaleBlock blocks;
    uint32_t row_tiles;  // of a group
    ScaleRule rule;
    uint32_t scale_stride;  // in L1, of the scales of one row
    uint32_t code_bytes;
    float most;  // code

    uint32_t strips() const {
        return blocks == ScaleBlock::Row         ? (columns + kBlock - 1) / kBlock
               : blocks != ScaleBlock::Square128 ? 1
                                                 : row_tiles;
    }
};

// Finds the largest magnitudes of 32 rows over all strips of a block; of a square block, of all
// rows.
void find_largest(const Shapes& shapes, uint32_t (&largest)[kTileRows]) {
    for (uint32_t row = 0; row < kTileRows; ++row) {
        largest[row] = 0;
    }
    for (uint32_t strip = 0; strip < shapes.strips(); ++strip) {
        cb_wait_front(cb_largest, 1);
        const auto* tile = words_at(get_read_ptr(cb_largest));
        for (uint32_t row = 0; row < kTileRows; ++row) {
            // A square has one scale; the largest of its rows ends up in the first place.
            const uint32_t place = shapes.blocks == ScaleBlock::Square128 ? 0 : row;
            largest[place] = larger(largest[place], scale_rule::largest_of_row(tile, row));
        }
        cb_pop_front(cb_largest, 1);
    }
}

// Tells compute what to scale a row by; returns the bits of its scale.
uint32_t put_scale(tt_l1_ptr uint32_t* tile, uint32_t row, uint32_t largest, const Shapes& shapes) {
    scale_rule::FloatWord scale;
    scale.value = scale_rule::scale_of(largest, shapes.rule, shapes.most);
    const uint32_t bits = scale.bits;
    if (shapes.rule == ScaleRule::PerToken) {
        // The reciprocal is made once here, since that rule multiplies.
        scale.value = 1.0F / scale.value;
    }
    tile[scale_rule::word_of_row(row)] = scale.bits;
    return bits;
}

// Tells compute what to scale by, and keeps the scales for their rows.
void make_scales(const Shapes& shapes, uint32_t block) {
    uint32_t largest[kTileRows];
    find_largest(shapes, largest);
    cb_reserve_back(cb_scale, 1);
    const uint32_t kept_l1 = get_write_ptr(cb_scales) + block * sizeof(uint32_t);
    for (uint32_t row = 0; row < kTileRows; ++row) {
        const uint32_t place = shapes.blocks == ScaleBlock::Square128 ? 0 : row;
        // Kept for storing: a row of the tensor has the scales of all blocks of columns.
        words_at(kept_l1 + row * shapes.scale_stride)[0] =
            put_scale(words_at(get_write_ptr(cb_scale)), row, largest[place], shapes);
    }
    cb_push_back(cb_scale, 1);
}

// Stores one strip of codes, rows [row, …) and 128 columns from `column` on.
template <class Accessor>
void store_strip(const Accessor& codes, const Shapes& shapes, const CountedRows& rows, uint32_t row,
                 uint32_t column) {
    cb_wait_front(cb_out, kStripTiles);
    uint32_t l1_addr = get_read_ptr(cb_out);
    for (const uint32_t end = row + kTileRows; row < end; ++row) {
        // Rows that do not count keep what the output held.
        if (rows.is_counted(row)) {
            noc_async_write(l1_addr, codes.get_noc_addr(row, column * shapes.code_bytes),
                            smaller(kBlock, shapes.columns - column) * shapes.code_bytes);
        }
        l1_addr += kBlock * shapes.code_bytes;
    }
    // The strip's data has left L1; compute may pack over it.
    noc_async_writes_flushed();
    cb_pop_front(cb_out, kStripTiles);
}

template <class Accessor>
void store_scales(const Accessor& scales, const Shapes& shapes, const CountedRows& rows,
                  uint32_t group, uint32_t bytes) {
    const bool is_square = shapes.blocks == ScaleBlock::Square128;
    const uint32_t first = is_square ? group : group * kTileRows;
    const uint32_t end = is_square ? group + 1 : smaller(first + kTileRows, rows.rows);
    uint32_t l1_addr = get_write_ptr(cb_scales);
    for (uint32_t row = first; row < end; ++row) {
        noc_async_write(l1_addr, scales.get_noc_addr(row), bytes);
        l1_addr += shapes.scale_stride;
    }
    noc_async_write_barrier();  // the next group's scales go to the same place
}

// Scales each block of codes by its own largest magnitude.
template <class Codes, class Scales>
void scale_blocks(const Codes& codes, const Scales& scales, const Shapes& shapes,
                  const CountedRows& rows, const GroupRange& range, uint32_t scale_bytes) {
    const uint32_t group_rows = shapes.row_tiles * kTileRows;
    const uint32_t blocks = scale_bytes / sizeof(uint32_t);  // of a group
    const uint32_t columns_each = shapes.blocks == ScaleBlock::Row ? shapes.columns : kBlock;
    for (uint32_t group = range.first_group; group < range.first_group + range.num_groups;
         ++group) {
        const uint32_t row = group * group_rows;
        for (uint32_t block = 0; block < blocks; ++block) {
            make_scales(shapes, block);
            for (uint32_t strip = 0; strip < shapes.strips(); ++strip) {
                const bool is_square = shapes.blocks == ScaleBlock::Square128;
                store_strip(codes, shapes, rows, row + (is_square ? strip * kTileRows : 0),
                            block * columns_each + (is_square ? 0 : strip * kBlock));
            }
        }
        store_scales(scales, shapes, rows, group, scale_bytes);
    }
}

Shapes shapes_of(const WriterArgs& args) {
    scale_rule::FloatWord most;
    most.bits = args.most_bits;
    return {.columns = args.columns,
            .blocks = static_cast<ScaleBlock>(args.block),
            .row_tiles = args.row_tiles,
            .rule = static_cast<ScaleRule>(args.rule),
            .scale_stride = args.scale_stride,
            .code_bytes = args.code_bytes,
            .most = most.value};
}

}  // namespace

void kernel_main() {
    const auto range = GroupRange::read();
    const auto args = WriterArgs::read();
    const Shapes shapes = shapes_of(args);
    const auto codes =
        TensorAccessor(WriterTensors::codes(), WriterTensors::codes_address(GroupRange::kCount));
    const auto scales =
        TensorAccessor(WriterTensors::scales(), WriterTensors::scales_address(GroupRange::kCount));
    const auto counts =
        TensorAccessor(WriterTensors::counts(), WriterTensors::counts_address(GroupRange::kCount));
    const uint32_t group_rows = shapes.row_tiles * kTileRows;
    const uint32_t end_group = range.first_group + range.num_groups;
    const CountedRows rows =
        counted_rows(counts, cb_counts, range.first_group * group_rows, end_group * group_rows);
    scale_blocks(codes, scales, shapes, rows, range, args.scale_bytes);
}
