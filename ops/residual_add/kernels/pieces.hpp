// SPDX-License-Identifier: Apache-2.0
// Rows in pieces of a tile: part of a long row, or several short rows, each at an aligned place.
#pragma once

#include "args.hpp"
#include "dataflow_api.h"

using namespace tessera::ops;
using namespace tessera::ops::residual_add;

struct TilePieces : PieceArgs {
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

inline TilePieces tile_pieces() {
    return {PieceArgs::read()};
}
