// SPDX-License-Identifier: Apache-2.0
// The output of one core: blocks of subblocks, as compute packs them, to the tiles of the tensor.
#pragma once

#include <cstdint>

#include "args.hpp"

inline constexpr uint32_t kCbOut = tessera::ops::index_of(tessera::ops::matmul::Cb::Out);

struct OutBlocks : tessera::ops::matmul::OutArgs {
    uint32_t num_rows;     // this core's rows inside of the tensor
    uint32_t num_columns;  // this core's columns inside of the tensor
    uint32_t first_tile;
    uint32_t tile_size;
};

// Reads the blocks of this core. `first`: index of OutRange's first word. Read compile-time
// arguments before it: their loads have then finished, so OutRange's loads do not wait for one of
// the four slots in flight.
inline OutBlocks read_out_blocks(uint32_t first) {
    const auto args = tessera::ops::matmul::OutArgs::read();
    const auto range = tessera::ops::matmul::OutRange::read(first);
    return {args, range.num_rows, range.num_columns, range.first_tile,
            static_cast<uint32_t>(get_tile_size(kCbOut))};
}

// Writes the tiles of a subblock that starts at (row, column) of the core's own.
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

// Writes block (bh, bw). Subblocks outside of the tensor are dropped.
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

// Waits for the end of a sharded output, which compute packs in place.
inline void await_shard(const OutBlocks& blocks) {
    cb_wait_front(kCbOut,
                  blocks.num_blocks_h * blocks.block_h * blocks.num_blocks_w * blocks.block_w);
}
