// SPDX-License-Identifier: Apache-2.0
// Streams every token's experts and weights to the builder, in blocks of token rows, once for each
// group of experts that the builder works on.

void kernel_main() {
    constexpr uint32_t kCbSelected = 0;
    constexpr uint32_t kCbWeights = 1;
    const uint32_t selected_addr = get_arg_val<uint32_t>(0);
    const uint32_t weights_addr = get_arg_val<uint32_t>(1);
    const uint32_t num_experts = get_arg_val<uint32_t>(2);
    const uint32_t num_tokens = get_compile_time_arg_val(0);
    const uint32_t top_k = get_compile_time_arg_val(1);
    const uint32_t selected_page = get_compile_time_arg_val(2);
    const uint32_t weights_page = get_compile_time_arg_val(3);
    const uint32_t block = get_compile_time_arg_val(4);
    const uint32_t group = get_compile_time_arg_val(6);
    constexpr auto selected_args = TensorAccessorArgs<7>();
    constexpr auto weights_args =
        TensorAccessorArgs<selected_args.next_compile_time_args_offset()>();
    const auto selected = TensorAccessor(selected_args, selected_addr);
    const auto weights = TensorAccessor(weights_args, weights_addr);

    // Tokens are streamed again for each group, because L1 holds the tables of one group only.
    for (uint32_t expert = 0; expert < num_experts; expert += group) {
        for (uint32_t first = 0; first < num_tokens; first += block) {
            const uint32_t left = num_tokens - first;
            const uint32_t rows = left < block ? left : block;
            // Whole blocks, also for the last tokens: the buffer wraps only at its exact end.
            cb_reserve_back(kCbSelected, block);
            cb_reserve_back(kCbWeights, block);
            const uint32_t selected_l1 = get_write_ptr(kCbSelected);
            const uint32_t weights_l1 = get_write_ptr(kCbWeights);
            for (uint32_t row = 0; row < rows; ++row) {
                noc_async_read(selected.get_noc_addr(first + row),
                               selected_l1 + row * selected_page, top_k * sizeof(uint32_t));
                noc_async_read(weights.get_noc_addr(first + row), weights_l1 + row * weights_page,
                               top_k * sizeof(uint16_t));
            }
            // One barrier for all rows of a block.
            noc_async_read_barrier();
            cb_push_back(kCbSelected, block);
            cb_push_back(kCbWeights, block);
        }
    }
}
