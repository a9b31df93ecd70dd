// SPDX-License-Identifier: Apache-2.0
// Stores rows [first_row, first_row + num_rows) of the output: the reader's rows up to each
// expert's count, zeros after them.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::scatter_moe_input;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbCount = index_of(Cb::WriterCount);
constexpr uint32_t kCbZeros = index_of(Cb::Zeros);

// Stores rows piece by piece, taking pages out of the reader's blocks in the order in which they
// were filled.
struct RowWriter {
    PageAccessor out;
    uint32_t row_bytes;
    uint32_t piece_bytes;
    uint32_t page_bytes;
    uint32_t block;
    uint32_t taken = 0;

    void pop() {
        // The pages are filled again, so their data must have left L1.
        noc_async_writes_flushed();
        cb_pop_front(kCbRows, block);
        taken = 0;
    }
    void write_piece(uint64_t address, uint32_t bytes) {
        if (taken == 0) {
            cb_wait_front(kCbRows, block);
        }
        noc_async_write(get_read_ptr(kCbRows) + taken * page_bytes, address, bytes);
        taken += 1;
        if (taken == block) {
            pop();
        }
    }
    void write_valid(uint32_t row) {
        for (uint32_t offset = 0; offset < row_bytes; offset += piece_bytes) {
            write_piece(out.get_noc_addr(row, offset), smaller(row_bytes - offset, piece_bytes));
        }
    }
    void write_zeros(uint32_t row) const {
        for (uint32_t offset = 0; offset < row_bytes; offset += piece_bytes) {
            noc_async_write(get_write_ptr(kCbZeros), out.get_noc_addr(row, offset),
                            smaller(row_bytes - offset, piece_bytes));
        }
    }
};

void clear(uint32_t l1_addr, uint32_t bytes) {
    // By stores: a piece is at most 8 KiB, and this happens once per core.
    auto* words = reinterpret_cast<tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
        words[i] = 0;
    }
}

uint32_t read_count(const PageAccessor& counts, uint32_t expert) {
    const uint32_t count_l1 = get_write_ptr(kCbCount);
    noc_async_read(counts.get_noc_addr(expert), count_l1, sizeof(uint32_t));
    noc_async_read_barrier();
    return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(count_l1);
}

}  // namespace

void kernel_main() {
    const auto at = WriterTensors::Addresses::read();
    const auto range = RowRange::read(WriterTensors::Addresses::kCount);
    const auto args = PieceArgs::read();
    const auto counts = TensorAccessor(WriterTensors::counts(), at.counts);

    clear(get_write_ptr(kCbZeros), args.page_bytes);
    RowWriter writer{TensorAccessor(WriterTensors::output(), at.output), args.row_bytes,
                     args.piece_bytes, args.page_bytes, args.block};
    const uint32_t end_row = range.first_row + range.num_rows;
    for (uint32_t row = range.first_row; row < end_row;) {
        const uint32_t expert = row / args.num_tokens;
        const uint32_t expert_end = smaller((expert + 1) * args.num_tokens, end_row);
        // A core's range may end before the expert's last token.
        const uint32_t valid_end =
            smaller(expert * args.num_tokens + read_count(counts, expert), expert_end);
        for (; row < valid_end; ++row) {
            writer.write_valid(row);
        }
        for (; row < expert_end; ++row) {
            writer.write_zeros(row);
        }
        // Once per expert, not per row: the zeros that all these writes read never change.
        noc_async_write_barrier();
    }
    // The last block may be partly filled; its pages were taken, the block was not.
    if (writer.taken != 0) {
        writer.pop();
    }
}
