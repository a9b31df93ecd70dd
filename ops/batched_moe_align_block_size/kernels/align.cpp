// SPDX-License-Identifier: Apache-2.0
// Lists the rows of each expert's batch, from the counts.
#include "../../shared/expert_rows/kernels/table_words.hpp"

void kernel_main() {
    constexpr uint32_t cb_counts = 0;
    constexpr uint32_t cb_sorted = 1;
    constexpr uint32_t cb_blocks = 2;
    const uint32_t num_experts = get_compile_time_arg_val(0);
    const uint32_t max_tokens = get_compile_time_arg_val(1);
    const uint32_t block_size = get_compile_time_arg_val(2);
    const uint32_t entries = get_compile_time_arg_val(3);
    const uint32_t num_blocks = get_compile_time_arg_val(4);
    constexpr auto counts_args = TensorAccessorArgs<6>();
    constexpr auto sorted_args = TensorAccessorArgs<counts_args.next_compile_time_args_offset()>();
    constexpr auto blocks_args = TensorAccessorArgs<sorted_args.next_compile_time_args_offset()>();
    constexpr auto total_args = TensorAccessorArgs<blocks_args.next_compile_time_args_offset()>();
    const auto counts_in = TensorAccessor(counts_args, get_arg_val<uint32_t>(0));
    const auto sorted_out = TensorAccessor(sorted_args, get_arg_val<uint32_t>(1));
    const auto blocks_out = TensorAccessor(blocks_args, get_arg_val<uint32_t>(2));
    const auto total_out = TensorAccessor(total_args, get_arg_val<uint32_t>(3));

    tt_l1_ptr uint32_t* counts = words_at(get_write_ptr(cb_counts));
    tt_l1_ptr uint32_t* sorted = words_at(get_write_ptr(cb_sorted));
    tt_l1_ptr uint32_t* blocks = words_at(get_write_ptr(cb_blocks));
    read_counts(counts_in, num_experts, get_compile_time_arg_val(5) != 0, get_write_ptr(cb_counts));

    uint32_t block = 0;
    for (uint32_t expert = 0; expert < num_experts; ++expert) {
        const uint32_t count = counts[expert];
        for (uint32_t first = 0; first < count; first += block_size) {
            for (uint32_t i = 0; i < block_size; ++i) {
                const bool is_row = first + i < count;
                sorted[block * block_size + i] =
                    is_row ? expert * max_tokens + first + i : num_experts * max_tokens;
            }
            blocks[block++] = expert;
        }
    }
    fill_words(sorted + block * block_size, entries - block * block_size, num_experts * max_tokens);
    fill_words(blocks + block, num_blocks - block, kNobody);

    noc_async_write(get_write_ptr(cb_sorted), sorted_out.get_noc_addr(0), entries * 4);
    noc_async_write(get_write_ptr(cb_blocks), blocks_out.get_noc_addr(0), num_blocks * 4);
    counts[0] = block * block_size;
    noc_async_write(get_write_ptr(cb_counts), total_out.get_noc_addr(0), 4);
    noc_async_write_barrier();
}
