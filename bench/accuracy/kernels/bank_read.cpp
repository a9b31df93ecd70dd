// SPDX-License-Identifier: Apache-2.0
// Reads a stretch of one DRAM bank into a small L1 area, repeatedly.
// Runtime args: bank, first address.
// With transaction ids: at most `depth` ids are in flight; a kernel waits for an id before it
// reuses it. One read is one packet. Without ids: a barrier follows every `per_barrier` reads (0:
// one barrier at the end).

#include "barrier_poll.hpp"

namespace {

constexpr uint32_t kNumLandingAreas = 2;

void read_with_ids(uint64_t address, uint32_t landing, uint32_t count, uint32_t bytes,
                   uint32_t depth) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t id = i % depth + 1;
        if (i >= depth) {
            noc_async_read_barrier_with_trid(id);
        }
        noc_async_read_set_trid(id);
        noc_async_read_one_packet(address + i * bytes, landing + (i % depth) * bytes, bytes);
    }
    for (uint32_t id = 1; id <= depth; ++id) {
        noc_async_read_barrier_with_trid(id);
    }
    noc_async_read_set_trid(0);
}

}  // namespace

void kernel_main() {
    const uint32_t landing = get_compile_time_arg_val(0);
    const uint32_t count = get_compile_time_arg_val(1);
    const uint32_t bytes = get_compile_time_arg_val(2);
    const uint32_t depth = get_compile_time_arg_val(3);  // 0: no transaction ids
    const uint32_t per_barrier = get_compile_time_arg_val(4);
    const bool same_address = get_compile_time_arg_val(5) != 0;
    const uint32_t coordinator = get_compile_time_arg_val(6);
    const uint32_t bank = get_arg_val<uint32_t>(0);
    const uint64_t address = get_noc_addr_from_bank_id<true>(bank, get_arg_val<uint32_t>(1));

    poll_barrier(coordinator, landing);
    DeviceZoneScopedN("burst");
    if (depth != 0) {
        read_with_ids(address, landing, count, bytes, depth);
        return;
    }
    // Separate loop: without the choice of an address, a call takes less RISC time.
    if (same_address && per_barrier == 0) {
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_read(address, landing, bytes);
        }
        noc_async_read_barrier();
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t source = same_address ? address : address + uint64_t{i} * bytes;
        const uint32_t area = same_address ? 0 : i % kNumLandingAreas;
        noc_async_read(source, landing + area * bytes, bytes);
        if (per_barrier != 0 && (i + 1) % per_barrier == 0) {
            noc_async_read_barrier();
        }
    }
    noc_async_read_barrier();
}
