// SPDX-License-Identifier: Apache-2.0
// Place of a block of 32 rows in a tensor of rows.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace tessera::ops::to_layout {

struct RowBlock {
    uint32_t first_row;
    uint32_t num_rows;   ///< that the matrix has; a last block has fewer than 32
    uint32_t start;      ///< first byte in each row
    uint32_t num_bytes;  ///< that each row has from there
};

/// `tile_rows`: rows of tiles of a matrix. Matrices of a stack begin with a tile of their own.
inline RowBlock row_block(uint32_t block, uint32_t tile_rows, const RowArgs& args) {
    constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;
    const uint32_t tile_row = block / args.blocks_per_row;
    const uint32_t start = block % args.blocks_per_row * args.block_bytes;
    const uint32_t row_in_matrix = tile_row % tile_rows * tile_height;
    return {tile_row / tile_rows * args.matrix_rows + row_in_matrix,
            smaller(tile_height, args.matrix_rows - row_in_matrix), start,
            smaller(args.block_bytes, args.row_bytes - start)};
}

}  // namespace tessera::ops::to_layout
