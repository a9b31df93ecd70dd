// SPDX-License-Identifier: Apache-2.0
// Hands pages that a sender wrote to another kernel of the core. Argument: pages.
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/remote_circular_buffer.h"

void kernel_main() {
    constexpr uint32_t kRemote = 31;
    constexpr uint32_t kPages = 2;  // that fit
    const uint32_t count = get_arg_val<uint32_t>(0);
    experimental::RemoteCircularBuffer remote(kRemote);
    Noc noc;
    CircularBuffer local(16);
    experimental::align_local_cbs_to_remote_cb<1>(kRemote, {16});
    for (uint32_t i = 0; i < count; ++i) {
        local.reserve_back(1);
        remote.wait_front(1);
        local.push_back(1);
        local.reserve_back(kPages);  // the other kernel has popped it
        remote.pop_front(noc, 1);
    }
    remote.commit();
    noc_async_atomic_barrier();
}
