// SPDX-License-Identifier: Apache-2.0
// Writes the same bytes to one address of a DRAM bank, with one barrier at the end.

#include "barrier_poll.hpp"
#include "burst_args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = BankWriteArgs::read();
    const auto place = BankPlace::read();
    const uint64_t address = get_noc_addr_from_bank_id<true>(place.bank, place.address);

    poll_barrier(args.coordinator, args.source);
    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < args.count; ++i) {
        noc_async_write(args.source, address, args.bytes);
    }
    noc_async_write_barrier();
}
