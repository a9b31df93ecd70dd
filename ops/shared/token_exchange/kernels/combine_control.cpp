// SPDX-License-Identifier: Apache-2.0
// Waits until all contributions to this rank's tokens are there, then lets the cores that sum go.
#include "routing.hpp"

using namespace tessera::ops::token_exchange;

void kernel_main() {
    const CombineControlArgs::Each args{};
    const uint32_t num_senders = args.num_senders();
    auto* rows_arrived = semaphore_at(args.rows_semaphore());
    const uint32_t go = get_semaphore(args.go_semaphore());
    const uint32_t num_cores = ListSize::read(CombineControlArgs::kCount).count;
    constexpr uint32_t kFirstCore = CombineControlArgs::kCount + ListSize::kCount;

    // A count of senders, not of rows: how many rows come is not known here.
    noc_semaphore_wait_min(rows_arrived, num_senders);
    // Waits once for all cores; if each core waited by itself, every sender would have to count up
    // all of them.
    for (uint32_t i = 0; i < num_cores; ++i) {
        const uint32_t core = CoreWord::read(kFirstCore + i).core;
        noc_semaphore_inc(get_noc_addr(x_of(core), y_of(core), go), 1);
    }
    // Requests in flight at the end would be counted for the next kernel.
    noc_async_atomic_barrier();
}
