// SPDX-License-Identifier: Apache-2.0
// Rows in pieces of at most a packet, which travel through a circular buffer in blocks of pages.
#pragma once

#include "row_move_args.hpp"
#include "table_words.hpp"

namespace {

using tessera::ops::row_moves::Limit;
using tessera::ops::row_moves::PieceArgs;

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

// The end of rows [first, first + count) that are below the word of `limit`, if there is one.
template <class Accessor>
uint32_t end_of_rows(const Accessor& limit, Limit limited, uint32_t cb_limit, uint32_t first,
                     uint32_t count) {
    const uint32_t end = first + count;
    if (limited != Limit::OfOutput) {
        return end;
    }
    read_pages(limit, 0, 1, get_write_ptr(cb_limit), 0, 4);
    const uint32_t most = words_at(get_write_ptr(cb_limit))[0];
    return most < end ? (most < first ? first : most) : end;
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
