// SPDX-License-Identifier: Apache-2.0
// Multiplies the rows of a block with this core's weights over its part of K. Then it adds the
// partial sums of all members for the tiles that it finishes.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::linear;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_tiles = index_of(Cb::Tiles);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_bias = index_of(Cb::Bias);
constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_gathered = index_of(Cb::Gathered);
constexpr uint32_t cb_out = index_of(Cb::Output);

struct Block : LinearArgs {
    Share share;
    uint32_t tile_rows;

    uint32_t chunks() const { return div_up(share.num_k, k_chunk); }
    // K tiles of a tile row in cb_tiles, with those of the last chunk that there are not.
    uint32_t row_stride() const { return chunks() * k_chunk; }
    uint32_t num_tiles() const { return share.num_columns * tile_rows; }
};

void tilize_block_rows(const Block& block) {
    for (uint32_t chunk = 0; chunk < block.tile_rows * block.chunks(); ++chunk) {
        cb_reserve_back(cb_tiles, block.k_chunk);
        tilize_rows(cb_rows, cb_tiles, block.k_chunk);
        cb_push_back(cb_tiles, block.k_chunk);
    }
    cb_wait_front(cb_tiles, block.tile_rows * block.row_stride());
}

// DST = the strip's sums, tile rows one below the other.
void multiply_strip(const Block& block, uint32_t columns) {
    reconfig_data_format(cb_weights, cb_tiles);
    mm_block_init_short(cb_tiles, cb_weights, 1, columns, block.tile_rows, block.row_stride());
    for (uint32_t first = 0; first < block.share.num_k; first += block.k_block) {
        const uint32_t count = smaller(block.k_block, block.share.num_k - first);
        cb_wait_front(cb_weights, block.k_block * block.strip);
        for (uint32_t k = 0; k < count; ++k) {
            matmul_block(cb_tiles, cb_weights, first + k, k * block.strip, 0, 1, columns,
                         block.tile_rows, block.row_stride());
        }
        cb_pop_front(cb_weights, block.k_block * block.strip);
    }
}

// Packs column by column, so that tiles leave in the order in which members own them.
void push_partials(const Block& block, uint32_t columns) {
    tile_regs_commit();
    pack_reconfig_data_format(cb_partial);
    // Whole pages of a strip, so that its tiles do not wrap around.
    cb_reserve_back(cb_partial, block.strip * block.block_tiles);
    tile_regs_wait();
    for (uint32_t column = 0; column < columns; ++column) {
        for (uint32_t row = 0; row < block.tile_rows; ++row) {
            pack_tile(row * columns + column, cb_partial);
        }
    }
    tile_regs_release();
    cb_push_back(cb_partial, block.strip * block.block_tiles);
}

void add_bias(uint32_t column) {
    unary_bcast_init<BroadcastType::ROW>(cb_bias, cb_out);
    unary_bcast<BroadcastType::ROW>(cb_bias, column, 1);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
}

void finish_tiles(const Block& block) {
    const uint32_t first = first_owned(block.num_tiles(), block.members, block.share.member);
    const uint32_t end = first_owned(block.num_tiles(), block.members, block.share.member + 1);
    cb_wait_front(cb_gathered, block.most_owned * block.members);
    for (uint32_t tile = first; tile < end; ++tile) {
        tile_regs_acquire();
        sum_tiles(cb_gathered, (tile - first) * block.members, block.members);
        if (block.has_bias != 0) {
            add_bias(tile / block.tile_rows);
        }
        push_as_rows(cb_out);
    }
    cb_pop_front(cb_gathered, block.most_owned * block.members);
}

}  // namespace

void kernel_main() {
    Block block{LinearArgs::read(), Share::read(), 0};
    mm_block_init(cb_tiles, cb_weights, cb_partial, 1, block.strip, block.block_tiles,
                  block.row_stride());
    for (uint32_t number = 0; number < num_blocks(block); ++number) {
        block.tile_rows = tile_rows_of(block, number);
        tilize_block_rows(block);
        for (uint32_t column = 0; column < block.share.num_columns; column += block.strip) {
            const uint32_t columns = smaller(block.strip, block.share.num_columns - column);
            tile_regs_acquire();
            multiply_strip(block, columns);
            push_partials(block, columns);
        }
        cb_pop_front(cb_tiles, block.tile_rows * block.row_stride());
        if (number == 0 && block.has_bias != 0) {
            cb_wait_front(cb_bias, block.share.num_columns);
        }
        finish_tiles(block);
    }
}
