// SPDX-License-Identifier: Apache-2.0
// Where bytes of a tensor lie whose pages are counted one behind the other, padding included, so
// that every piece keeps the alignment of a page.
#pragma once

#include <cstdint>

struct Rows {
    uint32_t row_bytes;
    uint32_t row_stride;  // bytes, padding included
};

// Walks through ranges of such bytes. Where one begins where the last one ended, as blocks of a
// slice do, the row is known without a division, which takes a RISC as long as twenty other
// instructions.
class RowWalk {
public:
    explicit RowWalk(const Rows& rows) : rows_(rows) {}

    // Calls move(row, offset in the row, offset in the range, bytes) for each piece of the range.
    template <typename Move>
    void for_each(uint32_t begin, uint32_t bytes, Move move) {
        if (begin != end_) {
            row_ = begin / rows_.row_stride;
            offset_ = begin - row_ * rows_.row_stride;
        }
        end_ = begin + bytes;
        uint32_t done = 0;
        while (bytes - done >= rows_.row_stride - offset_) {
            move_piece(done, rows_.row_stride - offset_, move);
            done += rows_.row_stride - offset_;
            ++row_;
            offset_ = 0;
        }
        if (done != bytes) {
            move_piece(done, bytes - done, move);
            offset_ += bytes - done;
        }
    }

private:
    // Without the padding behind the row.
    template <typename Move>
    void move_piece(uint32_t done, uint32_t bytes, Move move) const {
        if (offset_ < rows_.row_bytes) {
            const uint32_t left = rows_.row_bytes - offset_;
            move(row_, offset_, done, left < bytes ? left : bytes);
        }
    }

    Rows rows_;
    uint32_t end_ = 0;
    uint32_t row_ = 0;
    uint32_t offset_ = 0;
};

// Of a workspace: a page is a unit.
inline constexpr Rows kUnits{2048, 2048};
