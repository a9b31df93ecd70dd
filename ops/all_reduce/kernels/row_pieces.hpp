// SPDX-License-Identifier: Apache-2.0
// Places of 1024 consecutive elements of a row-major tensor. Rows are counted with the padding of
// their pages, so that every piece keeps the alignment of a page.
#pragma once

#include <cstdint>

#include "args.hpp"

struct RowPieces : tessera::ops::all_reduce::RowArgs {
    uint32_t tile_bytes;

    // Calls move(row, offset in the row, offset in the tile, bytes) for each piece of `tile`.
    template <typename Move>
    void for_each(uint32_t tile, Move move) const {
        const uint64_t begin = static_cast<uint64_t>(tile) * tile_bytes;
        uint32_t row = static_cast<uint32_t>(begin / row_stride);
        uint32_t offset = static_cast<uint32_t>(begin % row_stride);
        for (uint32_t done = 0; done < tile_bytes && row < num_rows; ++row, offset = 0) {
            const uint32_t left = tile_bytes - done;
            if (offset < row_bytes) {
                const uint32_t bytes = row_bytes - offset;
                move(row, offset, done, bytes < left ? bytes : left);
            }
            done += row_stride - offset;
        }
    }
};

inline RowPieces row_pieces_from_args(uint32_t first, uint32_t tile_bytes) {
    return {tessera::ops::all_reduce::RowArgs::read(first), tile_bytes};
}
