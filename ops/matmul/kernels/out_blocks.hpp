// SPDX-License-Identifier: Apache-2.0
// The output of one core: blocks of subblocks, as compute packs them, to the tiles of the tensor.
#pragma once

#include <cstdint>

inline constexpr uint32_t kCbOut = 16;

struct OutBlocks {
    uint32_t n_tiles;  // tiles of a row of the tensor
    uint32_t block_h;
    uint32_t block_w;
    uint32_t subblock_h;
    uint32_t subblock_w;
    uint32_t num_blocks_h;
    uint32_t num_blocks_w;
    uint32_t is_sharded;
    uint32_t num_rows;     // of this core's that lie in the tensor
    uint32_t num_columns;  // of this core's that lie in the tensor
    uint32_t first_tile;
    uint32_t tile_size;
};

// Compile-time arguments from `compile_arg` on; arguments from `arg` on: first tile, rows, columns.
inline OutBlocks out_blocks_from_args(uint32_t compile_arg, uint32_t arg) {
    return {.n_tiles = get_compile_time_arg_val(compile_arg),
            .block_h = get_compile_time_arg_val(compile_arg + 1),
            .block_w = get_compile_time_arg_val(compile_arg + 2),
            .subblock_h = get_compile_time_arg_val(compile_arg + 3),
            .subblock_w = get_compile_time_arg_val(compile_arg + 4),
            .num_blocks_h = get_compile_time_arg_val(compile_arg + 5),
            .num_blocks_w = get_compile_time_arg_val(compile_arg + 6),
            .is_sharded = get_compile_time_arg_val(compile_arg + 7),
            .num_rows = get_arg_val<uint32_t>(arg + 1),
            .num_columns = get_arg_val<uint32_t>(arg + 2),
            .first_tile = get_arg_val<uint32_t>(arg),
            .tile_size = static_cast<uint32_t>(get_tile_size(kCbOut))};
}

// Tiles of a subblock that starts at (row, column) of the core's own.
template <class Accessor>
void write_subblock(const Accessor& out, const OutBlocks& blocks, uint32_t row, uint32_t column) {
    const uint32_t l1_addr = get_read_ptr(kCbOut);
    for (uint32_t h = 0; h < blocks.subblock_h && row + h < blocks.num_rows; ++h) {
        const uint32_t row_tile = blocks.first_tile + (row + h) * blocks.n_tiles;
        for (uint32_t w = 0; w < blocks.subblock_w && column + w < blocks.num_columns; ++w) {
            noc_async_write_page(row_tile + column + w, out,
                                 l1_addr + (h * blocks.subblock_w + w) * blocks.tile_size);
        }
    }
    noc_async_write_barrier();
}

// Block (bh, bw). Subblocks outside of the tensor are dropped.
template <class Accessor>
void write_block(const Accessor& out, const OutBlocks& blocks, uint32_t bh, uint32_t bw) {
    const uint32_t subblock_tiles = blocks.subblock_h * blocks.subblock_w;
    for (uint32_t h = 0; h < blocks.block_h; h += blocks.subblock_h) {
        for (uint32_t w = 0; w < blocks.block_w; w += blocks.subblock_w) {
            const uint32_t row = bh * blocks.block_h + h;
            const uint32_t column = bw * blocks.block_w + w;
            cb_wait_front(kCbOut, subblock_tiles);
            if (row < blocks.num_rows && column < blocks.num_columns) {
                write_subblock(out, blocks, row, column);
            }
            cb_pop_front(kCbOut, subblock_tiles);
        }
    }
}

// A sharded output lies where compute packs it: only its end is waited for.
inline void await_shard(const OutBlocks& blocks) {
    cb_wait_front(kCbOut,
                  blocks.num_blocks_h * blocks.block_h * blocks.num_blocks_w * blocks.block_w);
}
