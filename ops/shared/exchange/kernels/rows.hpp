// SPDX-License-Identifier: Apache-2.0
// Addresses of a tensor's bytes, whose pages are counted contiguously, padding included, so that
// every piece keeps the alignment of a page.
#pragma once

#include <cstdint>

#include "args.hpp"

struct Rows {
    uint32_t row_bytes;
    uint32_t row_stride;  // bytes, padding included
};

// Iterates over such bytes. A link takes 350 to 500 cycles per packet, during which the RISC that
// feeds it handles up to one and a half packets. For a row it only adds and compares. It divides
// only if a range does not start at the end of the previous one.
class RowWalk {
public:
    explicit RowWalk(const Rows& rows) : rows_(rows) {}

    void seek(uint32_t begin) {
        if (begin != position_) {
            row_ = begin / rows_.row_stride;
            offset_ = begin - row_ * rows_.row_stride;
            position_ = begin;
        }
    }
    // Calls move(row, offset in the row, l1_address, bytes) for each row of the next `bytes`, which
    // are in L1 from `l1_address` on.
    template <typename Move>
    void for_each(uint32_t l1_address, uint32_t bytes, Move move) {
        position_ += bytes;
        if (offset_ != 0) {
            const uint32_t left = rows_.row_stride - offset_;
            const uint32_t some = bytes < left ? bytes : left;
            move_some(l1_address, some, move);
            l1_address += some;
            bytes -= some;
        }
        for (; bytes >= rows_.row_stride; bytes -= rows_.row_stride) {
            move(row_, 0, l1_address, rows_.row_bytes);
            l1_address += rows_.row_stride;
            ++row_;
        }
        if (bytes != 0) {
            move_some(l1_address, bytes, move);
        }
    }

private:
    // Moves bytes within a row, without the padding after it.
    template <typename Move>
    void move_some(uint32_t l1_address, uint32_t bytes, Move move) {
        if (offset_ < rows_.row_bytes) {
            const uint32_t left = rows_.row_bytes - offset_;
            move(row_, offset_, l1_address, left < bytes ? left : bytes);
        }
        offset_ += bytes;
        if (offset_ == rows_.row_stride) {
            ++row_;
            offset_ = 0;
        }
    }

    Rows rows_;
    uint32_t position_ = 0;
    uint32_t row_ = 0;
    uint32_t offset_ = 0;
};

// Returns the rows of a workspace: a page is a unit, whose elements have `scale` times the size of
// bfloat16.
constexpr Rows units_of(uint32_t scale) {
    return {tessera::ops::exchange::kUnitBytes * scale, tessera::ops::exchange::kUnitBytes * scale};
}
