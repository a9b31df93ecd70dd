// SPDX-License-Identifier: Apache-2.0
// Tiles of a block of a row of tiles.
#pragma once

#include "args.hpp"

namespace tessera::ops::to_layout {

struct TileBlock {
    uint32_t first_column;
    uint32_t row_start;  ///< page of the row's first tile
};

inline TileBlock tile_block(uint32_t block, const TileArgs& args) {
    return {block % args.blocks_per_row * args.block_tiles,
            block / args.blocks_per_row * args.tile_columns};
}

// Calls `move(page, l1_addr)` for each tile of a block that the tensor has, with its place in the
// buffer. A last block extends beyond the row; these tiles are not moved.
template <class Move>
inline void move_tiles(const TileBlock& at, const TileArgs& args, uint32_t l1_addr,
                       uint32_t tile_size, Move move) {
    for (uint32_t i = 0; i < args.block_tiles && at.first_column + i < args.tile_columns; ++i) {
        move(at.row_start + at.first_column + i, l1_addr);
        l1_addr += tile_size;
    }
}

}  // namespace tessera::ops::to_layout
