// SPDX-License-Identifier: Apache-2.0
// Blocks of 2 × 2 tiles in matrices of tiles.
#pragma once

#include <cstdint>

constexpr uint32_t kBlockSide = 2;
constexpr uint32_t kBlockTiles = kBlockSide * kBlockSide;

/// Returns the number of tile `tile` of a block in a matrix with `columns` tiles in a row.
inline uint32_t page_of(uint32_t block_row, uint32_t block_column, uint32_t tile,
                        uint32_t columns) {
    return (block_row * kBlockSide + tile / kBlockSide) * columns + block_column * kBlockSide +
           tile % kBlockSide;
}

/// Reads a block to the pages behind the write pointer of `cb`, which it reserves.
template <class Source>
void read_block(uint32_t cb, const Source& source, uint32_t block_row, uint32_t block_column,
                uint32_t columns) {
    cb_reserve_back(cb, kBlockTiles);
    for (uint32_t tile = 0; tile < kBlockTiles; ++tile) {
        noc_async_read_tile(page_of(block_row, block_column, tile, columns), source,
                            get_write_ptr(cb) + tile * get_tile_size(cb));
    }
    noc_async_read_barrier();
}
