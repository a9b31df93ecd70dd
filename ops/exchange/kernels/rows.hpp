// SPDX-License-Identifier: Apache-2.0
// Where bytes of a tensor lie whose pages are counted one behind the other, padding included, so
// that every piece keeps the alignment of a page.
#pragma once

#include <cstdint>

struct Rows {
    uint32_t row_bytes;
    uint32_t row_stride;  // bytes, padding included

    // Calls move(row, offset in the row, offset in the range, bytes) for each piece of the range.
    template <typename Move>
    void for_each(uint32_t begin, uint32_t bytes, Move move) const {
        uint32_t row = begin / row_stride;
        uint32_t offset = begin % row_stride;
        for (uint32_t done = 0; done < bytes; ++row, offset = 0) {
            const uint32_t left = bytes - done;
            if (offset < row_bytes) {
                const uint32_t piece = row_bytes - offset;
                move(row, offset, done, piece < left ? piece : left);
            }
            done += row_stride - offset;
        }
    }
};

// Of a workspace: a page is a unit.
inline constexpr Rows kUnits{2048, 2048};
