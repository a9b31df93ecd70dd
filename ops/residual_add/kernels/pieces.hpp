// SPDX-License-Identifier: Apache-2.0
// Rows in pieces of a tile: part of a long row, or several short rows, each at an aligned place.
#pragma once

#include "dataflow_api.h"

struct TilePieces {
    uint32_t rows;
    uint32_t row_bytes;
    uint32_t of_row;
    uint32_t rows_of_tile;
    uint32_t stride;

    // Calls act(row, offset in it, offset in the tile, bytes) for the parts of a piece.
    template <class Act>
    void for_each_part(uint32_t piece, const Act& act) const {
        const uint32_t first = piece / of_row * rows_of_tile;
        const uint32_t offset = piece % of_row * stride;
        const uint32_t left = row_bytes - offset;
        for (uint32_t i = 0; i < rows_of_tile && first + i < rows; ++i) {
            act(first + i, offset, i * stride, left < stride ? left : stride);
        }
    }
};

// The first compile-time arguments.
inline TilePieces tile_pieces() {
    return {get_compile_time_arg_val(0), get_compile_time_arg_val(1), get_compile_time_arg_val(2),
            get_compile_time_arg_val(3), get_compile_time_arg_val(4)};
}
