// SPDX-License-Identifier: Apache-2.0
// Gathers the valid rows among rows [first_row, first_row + num_rows) of the output (E/D·T rows)
// and hands their pieces to the writer, a block of pages at a time.

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbIndices = 1;
constexpr uint32_t kCbCount = 2;
constexpr uint32_t kIndexEntries = 512;

// Collects pieces in the circular buffer and pushes whole blocks; the last may be partly filled.
struct BlockFiller {
    uint32_t page_bytes;
    uint32_t block;
    uint32_t filled = 0;

    uint32_t next_page() {
        if (filled == 0) {
            cb_reserve_back(kCbRows, block);
        }
        return get_write_ptr(kCbRows) + filled++ * page_bytes;
    }
    void push() {
        noc_async_read_barrier();
        cb_push_back(kCbRows, block);
        filled = 0;
    }
};

}  // namespace

void kernel_main() {
    const uint32_t hidden_addr = get_arg_val<uint32_t>(0);
    const uint32_t counts_addr = get_arg_val<uint32_t>(1);
    const uint32_t routed_addr = get_arg_val<uint32_t>(2);
    const uint32_t first_row = get_arg_val<uint32_t>(3);
    const uint32_t num_rows = get_arg_val<uint32_t>(4);
    const uint32_t num_tokens = get_compile_time_arg_val(0);
    const uint32_t row_bytes = get_compile_time_arg_val(1);
    const uint32_t piece_bytes = get_compile_time_arg_val(2);
    const uint32_t page_bytes = get_compile_time_arg_val(3);
    const uint32_t block = get_compile_time_arg_val(4);
    constexpr auto hidden_args = TensorAccessorArgs<5>();
    constexpr auto counts_args = TensorAccessorArgs<hidden_args.next_compile_time_args_offset()>();
    constexpr auto routed_args = TensorAccessorArgs<counts_args.next_compile_time_args_offset()>();
    const auto hidden = TensorAccessor(hidden_args, hidden_addr);
    const auto counts = TensorAccessor(counts_args, counts_addr);
    const auto routed = TensorAccessor(routed_args, routed_addr);

    const uint32_t count_l1 = get_write_ptr(kCbCount);
    const uint32_t indices_l1 = get_write_ptr(kCbIndices);
    const auto* indices = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(indices_l1);
    BlockFiller filler{page_bytes, block};

    const uint32_t end_row = first_row + num_rows;
    for (uint32_t row = first_row; row < end_row;) {
        const uint32_t expert = row / num_tokens;
        const uint32_t expert_row = expert * num_tokens;
        noc_async_read(counts.get_noc_addr(expert), count_l1, sizeof(uint32_t));
        noc_async_read_barrier();
        const uint32_t count = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(count_l1);

        const uint32_t begin = row - expert_row;
        const uint32_t stop = end_row - expert_row < count ? end_row - expert_row : count;
        for (uint32_t i = begin; i < stop; ++i) {
            if (i == begin || i % kIndexEntries == 0) {
                const uint32_t entry = i / kIndexEntries * kIndexEntries;
                const uint32_t left = count - entry;
                const uint32_t entries = left < kIndexEntries ? left : kIndexEntries;
                noc_async_read(routed.get_noc_addr(expert, entry * sizeof(uint32_t)), indices_l1,
                               entries * sizeof(uint32_t));
                noc_async_read_barrier();
            }
            const uint32_t token = indices[i % kIndexEntries];
            for (uint32_t offset = 0; offset < row_bytes; offset += piece_bytes) {
                const uint32_t left = row_bytes - offset;
                noc_async_read(hidden.get_noc_addr(token, offset), filler.next_page(),
                               left < piece_bytes ? left : piece_bytes);
                if (filler.filled == block) {
                    filler.push();
                }
            }
        }
        row = expert_row + num_tokens;
    }
    if (filler.filled != 0) {
        filler.push();
    }
}
