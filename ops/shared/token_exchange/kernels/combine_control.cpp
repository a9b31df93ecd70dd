// SPDX-License-Identifier: Apache-2.0
// Waits until all contributions to this rank's tokens are there, then lets the cores that sum go.
#include "routing.hpp"

void kernel_main() {
    const uint32_t num_senders = get_arg_val<uint32_t>(0);
    auto* rows_arrived = semaphore_at(get_arg_val<uint32_t>(1));
    const uint32_t go = get_semaphore(get_arg_val<uint32_t>(2));
    const uint32_t num_cores = get_arg_val<uint32_t>(3);

    // A count of senders, not of rows: how many rows come is not known here.
    noc_semaphore_wait_min(rows_arrived, num_senders);
    // Waits once for all cores; if each core waited by itself, every sender would have to count up
    // all of them.
    for (uint32_t i = 0; i < num_cores; ++i) {
        const uint32_t core = get_arg_val<uint32_t>(4 + i);
        noc_semaphore_inc(get_noc_addr(core & 0xFFFF, core >> 16, go), 1);
    }
    // Requests in flight at the end would be counted for the next kernel.
    noc_async_atomic_barrier();
}
