// SPDX-License-Identifier: Apache-2.0
// Stores rows [first_row, first_row + num_rows) of the output: the reader's rows up to each
// expert's count, zeros behind them.

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbCount = 3;
constexpr uint32_t kCbZeros = 4;

// Takes pages out of whole blocks, in the order in which the reader filled them.
struct BlockDrainer {
    uint32_t page_bytes;
    uint32_t block;
    uint32_t taken = 0;

    uint32_t next_page() {
        if (taken == 0) {
            cb_wait_front(kCbRows, block);
        }
        return get_read_ptr(kCbRows) + taken++ * page_bytes;
    }
    void pop() {
        noc_async_writes_flushed();
        cb_pop_front(kCbRows, block);
        taken = 0;
    }
};

void clear(uint32_t l1_addr, uint32_t bytes) {
    auto* words = reinterpret_cast<tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
        words[i] = 0;
    }
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
    const auto out = TensorAccessor(out_args, out_addr);

    const uint32_t count_l1 = get_write_ptr(kCbCount);
    const uint32_t zeros_l1 = get_write_ptr(kCbZeros);
    clear(zeros_l1, page_bytes);
    BlockDrainer drainer{page_bytes, block};

    const uint32_t end_row = first_row + num_rows;
    uint32_t count = 0;
    for (uint32_t row = first_row; row < end_row; ++row) {
        const uint32_t expert = row / num_tokens;
        const uint32_t position = row % num_tokens;
        if (row == first_row || position == 0) {
            noc_async_read(counts.get_noc_addr(expert), count_l1, sizeof(uint32_t));
            noc_async_read_barrier();
            count = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(count_l1);
            // The zero rows of the expert before are let go of here, not row by row.
            noc_async_write_barrier();
        }
        const bool is_valid = position < count;
        for (uint32_t offset = 0; offset < row_bytes; offset += piece_bytes) {
            const uint32_t left = row_bytes - offset;
            noc_async_write(is_valid ? drainer.next_page() : zeros_l1,
                            out.get_noc_addr(row, offset), left < piece_bytes ? left : piece_bytes);
            if (drainer.taken == block) {
                drainer.pop();
            }
        }
    }
    if (drainer.taken != 0) {
        drainer.pop();
    }
    noc_async_write_barrier();
}
