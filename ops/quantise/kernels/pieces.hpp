// SPDX-License-Identifier: Apache-2.0
// Pieces of rows, of 128 columns each, counted row by row.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

constexpr uint32_t kPiece = 128;  // columns
constexpr uint32_t kStripRows = 32;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kMostBytes = 8192;  // of one read, on every NoC

// Pieces beside each other in one row.
struct Run {
    uint32_t piece;  // the first one
    uint32_t count;
    uint32_t row;
    uint32_t column;
    uint32_t columns;  // that the row has of them
};

struct Pieces {
    uint32_t per_row;
    uint32_t columns;  // of a row

    // Runs of at most `most` pieces.
    template <class Act>
    void for_each_run(uint32_t first, uint32_t end, uint32_t most, const Act& act) const {
        uint32_t row = first / per_row;
        uint32_t place = first % per_row;
        for (uint32_t piece = first; piece < end;) {
            const uint32_t in_row = smaller(per_row - place, most);
            const uint32_t count = smaller(in_row, end - piece);
            const uint32_t column = place * kPiece;
            const uint32_t left = columns - column;
            act(Run{piece, count, row, column, left < count * kPiece ? left : count * kPiece});
            piece += count;
            place += count;
            if (place == per_row) {
                place = 0;
                row += 1;
            }
        }
    }
};

inline Pieces pieces_of(const tessera::ops::quantise::PieceArgs& args) {
    return {args.pieces, args.columns};
}

}  // namespace
