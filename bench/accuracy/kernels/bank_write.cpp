// SPDX-License-Identifier: Apache-2.0
// Writes the same bytes to one address of a DRAM bank, with one barrier at the end.
// Runtime args: bank, address.

#include "barrier_poll.hpp"

void kernel_main() {
    const uint32_t source = get_compile_time_arg_val(0);
    const uint32_t count = get_compile_time_arg_val(1);
    const uint32_t bytes = get_compile_time_arg_val(2);
    const uint32_t coordinator = get_compile_time_arg_val(3);
    const uint32_t bank = get_arg_val<uint32_t>(0);
    const uint64_t address = get_noc_addr_from_bank_id<true>(bank, get_arg_val<uint32_t>(1));

    poll_barrier(coordinator, source);
    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_write(source, address, bytes);
    }
    noc_async_write_barrier();
}
