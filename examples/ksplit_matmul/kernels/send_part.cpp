// SPDX-License-Identifier: Apache-2.0
// Sends this core's sum to the core that gathers its column, and increments a semaphore there.

void kernel_main() {
    constexpr uint32_t cb_arrived = tt::CBIndex::c_2;
    constexpr uint32_t cb_part = tt::CBIndex::c_3;
    const uint32_t gather_x = get_arg_val<uint32_t>(0);
    const uint32_t gather_y = get_arg_val<uint32_t>(1);
    const uint32_t slot = get_arg_val<uint32_t>(2);
    const uint32_t arrived = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t bytes = get_tile_size(cb_part);

    cb_wait_front(cb_part, 1);
    // A circular buffer has the same address on all its cores, and this one is filled once.
    const uint32_t place = get_write_ptr(cb_arrived) + slot * bytes;
    noc_async_write(get_read_ptr(cb_part), get_noc_addr(gather_x, gather_y, place), bytes);
    noc_async_write_barrier();  // the sum arrives before the increment
    noc_semaphore_inc(get_noc_addr(gather_x, gather_y, arrived), 1);
    noc_async_atomic_barrier();
    cb_pop_front(cb_part, 1);
}
