// SPDX-License-Identifier: Apache-2.0
// Waits until the given number of streams have ended on this core.
#include "fabric_args.hpp"

using namespace tessera::score;

void kernel_main() {
    const uint32_t done = get_semaphore(FabricSinkArgs::read().done);
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(done),
                           FabricSinkStreams::read().streams);
}
