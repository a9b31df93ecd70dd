// SPDX-License-Identifier: Apache-2.0
// Stores rows [first_row, first_row + num_rows) of the output: the reader's rows up to each
// expert's count, zeros after them.
#include "../../shared/kernels/arithmetic.hpp"

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbCount = 3;
constexpr uint32_t kCbZeros = 4;

// Stores rows piece by piece, taking pages out of the reader's blocks in the order in which they
// were filled.
struct RowWriter {
    TensorAccessor out;
    uint32_t row_bytes;
    uint32_t piece_bytes;
    uint32_t page_bytes;
    uint32_t block;
    uint32_t taken = 0;

    void pop() {
        // The pages are filled again, so that their data must have left L1.
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
    // By stores: a piece is at most 8 KiB, and this happens once a core.
    auto* words = reinterpret_cast<tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
        words[i] = 0;
    }
}

uint32_t read_count(const TensorAccessor& counts, uint32_t expert) {
    const uint32_t count_l1 = get_write_ptr(kCbCount);
    noc_async_read(counts.get_noc_addr(expert), count_l1, sizeof(uint32_t));
    noc_async_read_barrier();
    return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(count_l1);
}

}  // namespace

void kernel_main() {
    const uint32_t counts_addr = get_arg_val<uint32_t>(0);
    const uint32_t out_addr = get_arg_val<uint32_t>(1);
    const uint32_t first_row = get_arg_val<uint32_t>(2);
    const uint32_t num_rows = get_arg_val<uint32_t>(3);
    const uint32_t num_tokens = get_compile_time_arg_val(0);
    const uint32_t row_bytes = get_compile_time_arg_val(1);
    const uint32_t piece_bytes = get_compile_time_arg_val(2);
    const uint32_t page_bytes = get_compile_time_arg_val(3);
    const uint32_t block = get_compile_time_arg_val(4);
    constexpr auto counts_args = TensorAccessorArgs<5>();
    constexpr auto out_args = TensorAccessorArgs<counts_args.next_compile_time_args_offset()>();
    const auto counts = TensorAccessor(counts_args, counts_addr);

    clear(get_write_ptr(kCbZeros), page_bytes);
    RowWriter writer{TensorAccessor(out_args, out_addr), row_bytes, piece_bytes, page_bytes, block};
    const uint32_t end_row = first_row + num_rows;
    for (uint32_t row = first_row; row < end_row;) {
        const uint32_t expert = row / num_tokens;
        const uint32_t expert_end = smaller((expert + 1) * num_tokens, end_row);
        // A core's range may end before the expert's last token.
        const uint32_t valid_end =
            smaller(expert * num_tokens + read_count(counts, expert), expert_end);
        for (; row < valid_end; ++row) {
            writer.write_valid(row);
        }
        for (; row < expert_end; ++row) {
            writer.write_zeros(row);
        }
        // Once an expert, not once a row: the zeros that all these writes read never change.
        noc_async_write_barrier();
    }
    // The last block may be partly filled; its pages were taken, the block was not.
    if (writer.taken != 0) {
        writer.pop();
    }
}
