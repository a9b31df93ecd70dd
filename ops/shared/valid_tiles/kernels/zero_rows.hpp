// SPDX-License-Identifier: Apache-2.0
// Zeros after the last token of each expert, in a writer.
#pragma once

#include "core_share.hpp"

inline void fill_zeros(uint32_t l1_addr, uint32_t num_bytes) {
    tt_l1_ptr uint32_t* words = reinterpret_cast<tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < num_bytes / 4; ++i) {
        words[i] = 0;
    }
}

// The rows of a face that hold tokens, for a tile with `num_tokens` rows of them.
inline uint32_t valid_rows(uint32_t face, uint32_t num_tokens) {
    // Faces 0 and 1 have the upper 16 rows, faces 2 and 3 the lower.
    const uint32_t first_row = face < 2 ? 0 : tt::constants::FACE_HEIGHT;
    const uint32_t rows = num_tokens > first_row ? num_tokens - first_row : 0;
    return rows < tt::constants::FACE_HEIGHT ? rows : tt::constants::FACE_HEIGHT;
}

inline void clear_rows_behind(uint32_t tile_addr, uint32_t num_tokens) {
    constexpr uint32_t face_row_bytes = tt::constants::FACE_WIDTH * 2;  // bfloat16
    for (uint32_t face = 0; face < 4; ++face) {
        const uint32_t rows = valid_rows(face, num_tokens);
        fill_zeros(tile_addr + (face * tt::constants::FACE_HEIGHT + rows) * face_row_bytes,
                   (tt::constants::FACE_HEIGHT - rows) * face_row_bytes);
    }
}

// Makes the tile that write_zeros() sends; returns its L1 address.
inline uint32_t make_zero_tile(uint32_t tile_size) {
    const uint32_t zero_tile = get_write_ptr(index_of(ValidCb::ZeroTile));
    // Stores write it once; all zero tiles are then sent from the same address.
    fill_zeros(zero_tile, tile_size);
    return zero_tile;
}

// Writes zeros to tiles [first, first + count), counted over the tiles without tokens of all
// experts. The caller waits for the writes.
template <class Accessor>
void write_zeros(const Accessor& output, const TileArgs& shapes, const TokenCounts& counts,
                 uint32_t zero_tile, uint32_t first, uint32_t count) {
    uint32_t zeros_before = 0;
    // Tiles are numbered over all experts, so the zeros are split evenly whatever the counts are.
    for (uint32_t expert = 0; expert < shapes.num_experts; ++expert) {
        const uint32_t valid_tiles = counts.tile_rows(expert);
        const uint32_t first_tile =
            (expert * shapes.token_tiles + valid_tiles) * shapes.column_tiles;
        const uint32_t zeros = (shapes.token_tiles - valid_tiles) * shapes.column_tiles;
        const uint32_t end = smaller(first + count, zeros_before + zeros);
        for (uint32_t zero = larger(first, zeros_before); zero < end; ++zero) {
            noc_async_write_page(first_tile + zero - zeros_before, output, zero_tile);
        }
        zeros_before += zeros;
    }
}
