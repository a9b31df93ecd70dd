// SPDX-License-Identifier: Apache-2.0
// Tilizes the rows of a unit once, for all following strips of the same rows, and multiplies them
// by the weights, whose tiles are transposed on their way into the source register. Sums stay in
// DST over all of K and are packed as rows. If scales apply to a K block or to some columns, each
// block's sum is scaled separately in fp32, and the packer accumulates it in L1. 4-bit codes become
// numbers of the matrix unit first (packed_codes.hpp).

#include "packed_codes.hpp"
#include "product_args.hpp"

namespace {

using namespace tessera::ops::row_products;
using tessera::ops::index_of;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_tiles = index_of(Cb::Tiles);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t cb_units = index_of(Cb::ComputeUnits);
constexpr uint32_t cb_row_scales = index_of(Cb::RowScales);
constexpr uint32_t cb_column_scales = index_of(Cb::ColumnScales);
constexpr uint32_t cb_sums = index_of(Cb::Sums);
constexpr uint32_t cb_zero_points = index_of(Cb::ZeroPoints);
constexpr uint32_t cb_bias = index_of(Cb::Bias);
constexpr uint32_t cb_out = index_of(Cb::Output);

// Tiles of one tile row.
uint32_t tiles_of_row(const ComputeArgs& args) {
    return args.chunks * args.k_chunk * sorted_each(args);
}

void tilize_row(const ComputeArgs& args) {
    const bool is_packed = form_of(args) != WeightForm::Numbers;
    const uint32_t cb_ordered = is_packed ? cb_plain_tiles : cb_tiles;
    for (uint32_t chunk = 0; chunk < args.chunks; ++chunk) {
        if (chunk == 0 || is_packed) {
            reconfig_data_format_srca(cb_rows);
            pack_reconfig_data_format(cb_ordered);
            tilize_init_short(cb_rows, args.k_chunk, cb_ordered);
        }
        cb_wait_front(cb_rows, args.k_chunk);
        cb_reserve_back(cb_ordered, args.k_chunk);
        tilize_block(cb_rows, args.k_chunk, cb_ordered);
        cb_push_back(cb_ordered, args.k_chunk);
        cb_pop_front(cb_rows, args.k_chunk);
        if (is_packed) {
            tilize_uninit(cb_rows, cb_ordered);
            sort_columns(args);
        }
    }
    if (!is_packed) {
        tilize_uninit(cb_rows, cb_tiles);
    }
}

// Tilizes the tile rows of a unit. One with fewer of them than run_height pushes unused pages, so
// that the tiles of a unit never wrap around the end of the buffer.
void tilize_rows(const ComputeArgs& args, uint32_t height, bool holds_rows) {
    const uint32_t place = args.run_height * tiles_of_row(args);
    if (holds_rows) {
        cb_pop_front(cb_tiles, place);
        if (args.is_scaled != 0) {
            cb_pop_front(cb_scales, args.run_height);
        }
    }
    for (uint32_t row = 0; row < height; ++row) {
        tilize_row(args);
    }
    if (height != args.run_height) {
        const uint32_t unused = (args.run_height - height) * tiles_of_row(args);
        cb_reserve_back(cb_tiles, unused);
        cb_push_back(cb_tiles, unused);
    }
    cb_wait_front(cb_tiles, place);
    if (args.is_scaled != 0) {
        cb_wait_front(cb_scales, args.run_height);
    }
}

void multiply(const ComputeArgs& args, uint32_t columns, uint32_t height) {
    reconfig_data_format(cb_weights, cb_tiles);
    const uint32_t stride = tiles_of_row(args);
    mm_block_init_short(cb_tiles, cb_weights, 1, columns, height, stride);
    for (uint32_t first = 0; first < args.k_tiles; first += args.k_block) {
        const uint32_t left = args.k_tiles - first;
        const uint32_t count = left < args.k_block ? left : args.k_block;
        cb_wait_front(cb_weights, args.k_block * args.strip);
        for (uint32_t k = 0; k < count; ++k) {
            matmul_block(cb_tiles, cb_weights, first + k, k * args.strip, 0, 1, columns, height,
                         stride);
        }
        cb_pop_front(cb_weights, args.k_block * args.strip);
    }
}

// Multiplies the sums of a block in DST with one of its scales; the spare tile of DST holds it.
template <BroadcastType broadcast>
void scale_sum(uint32_t cb, uint32_t tile, uint32_t column, uint32_t spare) {
    // Scales are in row 0 or column 0 of a tile; the unpacker spreads them over the tile in DST.
    unary_bcast_init<broadcast>(cb, cb_sums);
    unary_bcast<broadcast>(cb, tile, spare);
    mul_binary_tile_init();
    mul_binary_tile(column, spare, column);
}

void add_block(const ComputeArgs& args, uint32_t columns, bool is_first) {
    if (args.has_column_scales != 0) {
        cb_wait_front(cb_column_scales, args.strip);
        for (uint32_t column = 0; column < columns; ++column) {
            scale_sum<BroadcastType::ROW>(cb_column_scales, column, column, args.strip);
        }
        cb_pop_front(cb_column_scales, args.strip);
    }
    if (args.has_row_scales != 0) {
        cb_wait_front(cb_row_scales, 1);
        for (uint32_t column = 0; column < columns; ++column) {
            scale_sum<BroadcastType::COL>(cb_row_scales, 0, column, args.strip);
        }
        cb_pop_front(cb_row_scales, 1);
    }
    tile_regs_commit();
    pack_reconfig_data_format(cb_sums);
    // The first block overwrites the sums of the unit before.
    pack_reconfig_l1_acc(is_first ? 0 : 1);
    tile_regs_wait();
    for (uint32_t column = 0; column < columns; ++column) {
        pack_tile<true>(column, cb_sums, column);
    }
    tile_regs_release();
}

// Adds the part of the zero points to a sum: the product of the rows with minus their tile.
void subtract_zero_points(const ComputeArgs& args, uint32_t columns, uint32_t first, uint32_t end) {
    cb_wait_front(cb_zero_points, args.strip);
    for (uint32_t tile = first; tile < end; ++tile) {
        matmul_block(cb_tiles, cb_zero_points, tile, 0, 0, 1, columns, 1, args.k_block);
    }
    cb_pop_front(cb_zero_points, args.strip);
}

// Adds the sum of a block of K that ends with `tile` to those of the blocks before.
void end_block(const ComputeArgs& args, WeightForm form, uint32_t columns, uint32_t tile) {
    if (form == WeightForm::UInt4) {
        subtract_zero_points(args, columns, tile / args.block_tiles * args.block_tiles, tile + 1);
    }
    add_block(args, columns, tile < args.block_tiles);
}

// Multiplies a pair of K tiles of weights with the rows of each half of their columns.
void multiply_halves(const ComputeArgs& args, uint32_t columns, uint32_t first, uint32_t k) {
    const uint32_t cb_numbers = cb_of_numbers(WeightForm::UInt4);
    for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t tile = 2 * (first + k) + 2 * half;
        tile_regs_acquire();
        reconfig_data_format(cb_numbers, cb_tiles);
        mm_block_init_short(cb_tiles, cb_numbers, 1, columns, 1, args.k_block);
        for (uint32_t odd = 0; odd < 2; ++odd) {
            matmul_block(cb_tiles, cb_numbers, tile + odd,
                         place_of_numbers(args, WeightForm::UInt4, k + odd), 0, 1, columns, 1,
                         args.k_block);
        }
        subtract_zero_points(args, columns, tile, tile + 2);
        add_block(args, columns, tile == 0);
    }
}

void multiply_in_blocks(const ComputeArgs& args, uint32_t columns) {
    const WeightForm form = form_of(args);
    const uint32_t cb_numbers = cb_of_numbers(form);
    cb_reserve_back(cb_sums, args.strip);
    for (uint32_t first = 0; first < args.k_tiles; first += args.k_block) {
        const uint32_t left = args.k_tiles - first;
        const uint32_t count = left < args.k_block ? left : args.k_block;
        wait_numbers(args, form, count, columns);
        if (sorted_each(args) == 2) {
            for (uint32_t k = 0; k < count; k += 2) {
                multiply_halves(args, columns, first, k);
            }
            pop_numbers(args, form);
            continue;
        }
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t tile = first + k;
            if (tile % args.block_tiles == 0) {
                tile_regs_acquire();
                reconfig_data_format(cb_numbers, cb_tiles);
                mm_block_init_short(cb_tiles, cb_numbers, 1, columns, 1, args.k_block);
            }
            matmul_block(cb_tiles, cb_numbers, tile, place_of_numbers(args, form, k), 0, 1, columns,
                         1, args.k_block);
            if ((tile + 1) % args.block_tiles == 0 || tile + 1 == args.k_tiles) {
                end_block(args, form, columns, tile);
            }
        }
        pop_numbers(args, form);
    }
    // Later packs of output must overwrite again.
    pack_reconfig_l1_acc(0);
    cb_push_back(cb_sums, args.strip);
}

void take_sums(const ComputeArgs& args, uint32_t columns) {
    cb_wait_front(cb_sums, args.strip);
    copy_tile_to_dst_init_short_with_dt(cb_weights, cb_sums);
    for (uint32_t column = 0; column < columns; ++column) {
        copy_tile(cb_sums, column, column);
    }
    cb_pop_front(cb_sums, args.strip);
}

// The bias of each column, in every row.
void add_bias(const ComputeArgs& args, uint32_t columns) {
    cb_wait_front(cb_bias, args.strip);
    unary_bcast_init<BroadcastType::ROW>(cb_bias, cb_out);
    add_binary_tile_init();
    for (uint32_t column = 0; column < columns; ++column) {
        unary_bcast<BroadcastType::ROW>(cb_bias, column, args.strip);
        add_binary_tile(column, args.strip, column);
    }
    cb_pop_front(cb_bias, args.strip);
}

// The routing weights of the rows, in every column. They come after the sums in DST.
void scale(const ComputeArgs& args, uint32_t columns, uint32_t height) {
    for (uint32_t row = 0; row < height; ++row) {
        copy_tile_to_dst_init_short_with_dt(cb_weights, cb_scales);
        copy_tile(cb_scales, row, args.sums);
        mul_binary_tile_init();
        for (uint32_t sum = row * columns; sum < (row + 1) * columns; ++sum) {
            mul_binary_tile(sum, args.sums, sum);
        }
    }
}

// The width is a template argument of the vendor's function, so each one has an instance.
template <uint32_t width>
void pack_strips(uint32_t pages, uint32_t height) {
    pack_reconfig_data_format(cb_out);
    pack_untilize_dest_init<width>(cb_out);
    for (uint32_t row = 0; row < height; ++row) {
        cb_reserve_back(cb_out, pages);
        if (row == 0) {
            tile_regs_wait();
        }
        pack_untilize_dest<width>(cb_out, 1, 0, 16, 4, row * width);
        if (row + 1 == height) {
            tile_regs_release();
        }
        cb_push_back(cb_out, pages);
    }
    pack_untilize_uninit(cb_out);
}

// Packs the tile rows of a unit one after another, each in pages for a whole strip.
void pack_strips(uint32_t pages, uint32_t width, uint32_t height) {
    switch (width) {
        case 1:
            return pack_strips<1>(pages, height);
        case 2:
            return pack_strips<2>(pages, height);
        case 3:
            return pack_strips<3>(pages, height);
        default:
            return pack_strips<4>(pages, height);
    }
}

}  // namespace

void kernel_main() {
    const auto args = ComputeArgs::read();
    mm_block_init(cb_tiles, cb_of_numbers(form_of(args)), cb_out, 1, args.strip, 1, args.k_block);
    for (bool holds_rows = false;; holds_rows = true) {
        cb_wait_front(cb_units, 1);
        const auto what = static_cast<Announced>(read_tile_value(cb_units, 0, 0));
        const uint32_t columns = read_tile_value(cb_units, 0, 1);
        const uint32_t has_new_rows = read_tile_value(cb_units, 0, 2);
        const uint32_t height = args.run_height > 1 ? read_tile_value(cb_units, 0, 3) : 1;
        cb_pop_front(cb_units, 1);
        if (what == Announced::End) {
            return;
        }
        if (has_new_rows != 0) {
            tilize_rows(args, height, holds_rows);
        }
        if (args.is_in_blocks != 0) {
            multiply_in_blocks(args, columns);
            tile_regs_acquire();
            take_sums(args, columns);
        } else {
            tile_regs_acquire();
            multiply(args, columns, height);
        }
        if (args.has_bias != 0) {
            add_bias(args, columns);
        }
        if (args.is_scaled != 0) {
            scale(args, columns, height);
        }
        tile_regs_commit();
        pack_strips(args.strip, args.run_height > 1 ? columns : args.strip, height);
    }
}
