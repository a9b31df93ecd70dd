// SPDX-License-Identifier: Apache-2.0
// Reads this core's share of the row of A and of a column of B, one block of tiles at a time.

void kernel_main() {
    constexpr uint32_t cb_a = tt::CBIndex::c_0;
    constexpr uint32_t cb_b = tt::CBIndex::c_1;
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr uint32_t columns = get_compile_time_arg_val(1);  // columns of tiles in B
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const uint32_t first_k = get_arg_val<uint32_t>(2);
    const uint32_t num_k = get_arg_val<uint32_t>(3);
    const uint32_t column = get_arg_val<uint32_t>(4);
    const uint32_t tile_bytes = get_tile_size(cb_a);
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), tile_bytes);
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), tile_bytes);

    for (uint32_t k = first_k; k < first_k + num_k; k += block) {
        cb_reserve_back(cb_a, block);
        cb_reserve_back(cb_b, block);
        for (uint32_t i = 0; i < block; ++i) {
            noc_async_read_page(k + i, a, get_write_ptr(cb_a) + i * tile_bytes);
            noc_async_read_page((k + i) * columns + column, b,
                                get_write_ptr(cb_b) + i * tile_bytes);
        }
        noc_async_read_barrier();
        cb_push_back(cb_a, block);
        cb_push_back(cb_b, block);
    }
}
