// SPDX-License-Identifier: Apache-2.0
// Turns of a core's tiles of a tensor with one scale, which may come in any order.
#pragma once

#include "args.hpp"
#include "pieces.hpp"

namespace {

struct TensorTurns {
    uint32_t first;  // piece
    uint32_t end;
    uint32_t count;
    uint32_t start;

    static constexpr uint32_t kPieces =
        tessera::ops::quantise::kTensorTurn * tessera::ops::quantise::kTilePieces;

    // Returns the first piece of the turn that is the `index`-th in time.
    uint32_t piece(uint32_t index) const {
        const uint32_t turn = start + index;
        return first + (turn < count ? turn : turn - count) * kPieces;
    }
};

inline TensorTurns turns_of(const tessera::ops::quantise::TensorArgs& args,
                            const tessera::ops::quantise::TensorRange& range) {
    using tessera::ops::quantise::kTilePieces;
    const uint32_t first = range.first_tile * kTilePieces;
    const uint32_t end = smaller(first + range.num_tiles * kTilePieces, args.num_pieces);
    const uint32_t count = div_up(end - first, TensorTurns::kPieces);
    return {first, end, count, range.start};
}

}  // namespace
