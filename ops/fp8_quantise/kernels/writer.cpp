// SPDX-License-Identifier: Apache-2.0
// Makes the scales of each block from its largest magnitudes, and stores codes and scales.
#include "../../fp8_blocks/kernels/scale_rule.hpp"

namespace {

constexpr uint32_t kCbLargest = 6;
constexpr uint32_t kCbScale = 7;
constexpr uint32_t kCbOut = 16;
constexpr uint32_t kCbScales = 17;
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kBlock = 128;
enum Blocks : uint32_t { kRow128, kRow, kSquare128 };

uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

struct Shapes {
    uint32_t rows;
    uint32_t columns;
    uint32_t blocks;
    uint32_t row_tiles;  // of a group
    uint32_t rule;
    uint32_t scale_stride;  // in L1, of the scales of one row

    uint32_t strips() const {
        return blocks == kRow ? (columns + kBlock - 1) / kBlock : blocks == kRow128 ? 1 : row_tiles;
    }
};

// Largest magnitudes of 32 rows over all strips of a block; of a square block, of all rows.
void find_largest(const Shapes& shapes, uint32_t (&largest)[kTileRows]) {
    for (uint32_t row = 0; row < kTileRows; ++row) {
        largest[row] = 0;
    }
    for (uint32_t strip = 0; strip < shapes.strips(); ++strip) {
        cb_wait_front(kCbLargest, 1);
        const auto* tile = reinterpret_cast<tt_l1_ptr uint32_t*>(get_read_ptr(kCbLargest));
        for (uint32_t row = 0; row < kTileRows; ++row) {
            const uint32_t found = scale_rule::largest_of_row(tile, row);
            const uint32_t place = shapes.blocks == kSquare128 ? 0 : row;
            largest[place] = found > largest[place] ? found : largest[place];
        }
        cb_pop_front(kCbLargest, 1);
    }
}

// Tells compute what to scale by, and keeps the scales for their rows.
void make_scales(const Shapes& shapes, uint32_t block) {
    uint32_t largest[kTileRows];
    find_largest(shapes, largest);
    cb_reserve_back(kCbScale, 1);
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScale));
    const uint32_t kept_l1 = get_write_ptr(kCbScales) + block * sizeof(uint32_t);
    for (uint32_t row = 0; row < kTileRows; ++row) {
        const uint32_t place = shapes.blocks == kSquare128 ? 0 : row;
        scale_rule::FloatWord scale;
        scale.value = scale_rule::scale_of(largest[place], shapes.rule);
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(kept_l1 + row * shapes.scale_stride) =
            scale.bits;
        if (shapes.rule == scale_rule::kPerToken) {
            scale.value = 1.0F / scale.value;
        }
        tile[scale_rule::word_of_row(row)] = scale.bits;
    }
    cb_push_back(kCbScale, 1);
}

// One strip of codes, rows [row, …) and 128 columns from `column` on.
void store_strip(const TensorAccessor& codes, const Shapes& shapes, uint32_t row, uint32_t column) {
    cb_wait_front(kCbOut, kStripTiles);
    uint32_t l1_addr = get_read_ptr(kCbOut);
    for (uint32_t end = smaller(row + kTileRows, shapes.rows); row < end; ++row) {
        noc_async_write(l1_addr, codes.get_noc_addr(row, column),
                        smaller(kBlock, shapes.columns - column));
        l1_addr += kBlock;
    }
    noc_async_writes_flushed();
    cb_pop_front(kCbOut, kStripTiles);
}

void store_scales(const TensorAccessor& scales, const Shapes& shapes, uint32_t group,
                  uint32_t bytes) {
    const bool is_square = shapes.blocks == kSquare128;
    const uint32_t first = is_square ? group : group * kTileRows;
    const uint32_t end = is_square ? group + 1 : smaller(first + kTileRows, shapes.rows);
    uint32_t l1_addr = get_write_ptr(kCbScales);
    for (uint32_t row = first; row < end; ++row) {
        noc_async_write(l1_addr, scales.get_noc_addr(row), bytes);
        l1_addr += shapes.scale_stride;
    }
    noc_async_write_barrier();  // the next group's scales go to the same place
}

}  // namespace

void kernel_main() {
    const uint32_t first_group = get_arg_val<uint32_t>(0);
    const uint32_t num_groups = get_arg_val<uint32_t>(1);
    const Shapes shapes{.rows = get_compile_time_arg_val(0),
                        .columns = get_compile_time_arg_val(1),
                        .blocks = get_compile_time_arg_val(2),
                        .row_tiles = get_compile_time_arg_val(3),
                        .rule = get_compile_time_arg_val(4),
                        .scale_stride = get_compile_time_arg_val(5)};
    const uint32_t scale_bytes = get_compile_time_arg_val(6);
    const TensorAccessor codes(TensorAccessorArgs<7>(), get_arg_val<uint32_t>(2));
    const TensorAccessor scales(TensorAccessorArgs<9>(), get_arg_val<uint32_t>(3));

    const uint32_t blocks = scale_bytes / sizeof(uint32_t);  // of a group
    const uint32_t columns_each = shapes.blocks == kRow ? shapes.columns : kBlock;
    for (uint32_t group = first_group; group < first_group + num_groups; ++group) {
        const uint32_t row = group * shapes.row_tiles * kTileRows;
        for (uint32_t block = 0; block < blocks; ++block) {
            make_scales(shapes, block);
            for (uint32_t strip = 0; strip < shapes.strips(); ++strip) {
                const bool is_square = shapes.blocks == kSquare128;
                store_strip(codes, shapes, row + (is_square ? strip * kTileRows : 0),
                            block * columns_each + (is_square ? 0 : strip * kBlock));
            }
        }
        store_scales(scales, shapes, group, scale_bytes);
    }
}
