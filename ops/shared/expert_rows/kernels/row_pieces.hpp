// SPDX-License-Identifier: Apache-2.0
// Rows in pieces of at most a packet, which travel through a circular buffer in blocks of pages.
#pragma once

#include "row_move_args.hpp"
#include "table_words.hpp"

namespace {

using tessera::ops::row_moves::Limit;
using tessera::ops::row_moves::PieceArgs;
using tessera::ops::row_moves::RowRange;

struct RowPieces {
    uint32_t row_bytes;
    uint32_t piece_bytes;  // a row is cut into pieces of this length and a rest
    uint32_t page_bytes;   // a piece, aligned for reads from DRAM
    uint32_t block;        // pages per push

    uint32_t length_at(uint32_t offset) const {
        const uint32_t left = row_bytes - offset;
        return left < piece_bytes ? left : piece_bytes;
    }
};

inline RowPieces row_pieces(const PieceArgs& args) {
    return {.row_bytes = args.row_bytes,
            .piece_bytes = args.piece_bytes,
            .page_bytes = args.page_bytes,
            .block = args.block};
}

// Rows [first, end) of a core.
struct CoreRows {
    uint32_t first;
    uint32_t end;
};

// Returns this core's rows. The word of `limit` is known on the device only: rows below it are
// distributed evenly there, since a split of all rows would leave most cores idle.
template <class Accessor>
CoreRows rows_of_core(const Accessor& limit, Limit limited, uint32_t cb_limit,
                      const RowRange& range) {
    if (limited != Limit::OfOutput) {
        return {range.first_row, range.first_row + range.num_rows};
    }
    read_pages(limit, 0, 1, get_write_ptr(cb_limit), 0, 4);
    const uint32_t given = words_at(get_write_ptr(cb_limit))[0];
    const uint32_t rows = given < range.all_rows ? given : range.all_rows;
    return {rows * range.part / range.num_parts, rows * (range.part + 1) / range.num_parts};
}

// Collects pieces and pushes whole blocks; the last one may be partly filled.
struct PieceFiller {
    uint32_t cb;
    const RowPieces& pieces;
    uint32_t filled = 0;

    void add(uint64_t address, uint32_t bytes) {
        if (filled == 0) {
            cb_reserve_back(cb, pieces.block);
        }
        noc_async_read(address, get_write_ptr(cb) + filled * pieces.page_bytes, bytes);
        filled += 1;
        if (filled == pieces.block) {
            push();
        }
    }
    void finish() {
        if (filled != 0) {
            push();
        }
    }

private:
    void push() {
        noc_async_read_barrier();
        cb_push_back(cb, pieces.block);
        filled = 0;
    }
};

// Takes pages out of the blocks in the order in which they were filled.
struct PieceTaker {
    uint32_t cb;
    const RowPieces& pieces;
    uint32_t num_taken = 0;

    uint32_t next() const {
        if (num_taken == 0) {
            cb_wait_front(cb, pieces.block);
        }
        return get_read_ptr(cb) + num_taken * pieces.page_bytes;
    }
    void taken() {
        num_taken += 1;
        if (num_taken == pieces.block) {
            pop();
        }
    }
    void finish() {
        if (num_taken != 0) {
            pop();
        }
    }

private:
    void pop() {
        noc_async_writes_flushed();
        cb_pop_front(cb, pieces.block);
        num_taken = 0;
    }
};

}  // namespace
