// SPDX-License-Identifier: Apache-2.0
// Adds one word of each core and gives the sum to all. Cores write their words to the root, which
// adds them and multicasts the sum. Arguments: semaphore for arrivals, semaphore for the sum, L1
// address of the slots, own number, number of cores, own word, root x, y, last x, y.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t arrivals = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t done = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t slots = get_arg_val<uint32_t>(2);
    const uint32_t number = get_arg_val<uint32_t>(3);
    const uint32_t cores = get_arg_val<uint32_t>(4);
    const uint32_t root_x = get_arg_val<uint32_t>(6);
    const uint32_t root_y = get_arg_val<uint32_t>(7);
    auto* slot = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(slots + 16 * number);
    slot[0] = get_arg_val<uint32_t>(5);
    auto* arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(arrivals);
    auto* is_done = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(done);
    const uint32_t sum = slots + 16 * cores;
    if (number != 0) {
        noc_async_write(slots + 16 * number, get_noc_addr(root_x, root_y, slots + 16 * number), 16);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(root_x, root_y, arrivals), 1);
        noc_async_atomic_barrier();
        noc_semaphore_wait(is_done, 1);
        return;
    }
    noc_semaphore_wait(arrived, cores - 1);
    auto* total = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sum);
    *total = 0;
    for (uint32_t i = 0; i < cores; ++i) {
        *total += *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(slots + 16 * i);
    }
    const uint64_t all = get_noc_multicast_addr(root_x, root_y, get_arg_val<uint32_t>(8),
                                                get_arg_val<uint32_t>(9), sum);
    noc_async_write_multicast(sum, all, 16, cores - 1);
    noc_async_write_barrier();
    *is_done = 1;
    noc_semaphore_set_multicast(done,
                                get_noc_multicast_addr(root_x, root_y, get_arg_val<uint32_t>(8),
                                                       get_arg_val<uint32_t>(9), done),
                                cores - 1);
    noc_async_write_barrier();
}
