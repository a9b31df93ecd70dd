// SPDX-License-Identifier: Apache-2.0
// Waits for the sums of all other parts, pushes them to compute and writes the result.

void kernel_main() {
    constexpr uint32_t cb_arrived = tt::CBIndex::c_2;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    constexpr auto out_args = TensorAccessorArgs<0>();
    const uint32_t column = get_arg_val<uint32_t>(1);
    const uint32_t num_arriving = get_arg_val<uint32_t>(2);
    const uint32_t arrived = get_semaphore(get_arg_val<uint32_t>(3));
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(0), get_tile_size(cb_out));

    if (num_arriving > 0) {
        cb_reserve_back(cb_arrived, num_arriving);
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(arrived), num_arriving);
        cb_push_back(cb_arrived, num_arriving);
    }
    cb_wait_front(cb_out, 1);
    noc_async_write_page(column, out, get_read_ptr(cb_out));
    noc_async_write_barrier();
    cb_pop_front(cb_out, 1);
}
