// SPDX-License-Identifier: Apache-2.0
// Reads a stretch of one DRAM bank into a small L1 area, repeatedly.
// With transaction ids: at most `depth` ids are in flight; a kernel waits for an id before it
// reuses it. One read is one packet. Without ids: a barrier follows every `per_barrier` reads (0:
// one barrier at the end).

#include "barrier_poll.hpp"
#include "burst_args.hpp"

using namespace tessera::score;

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
    const auto args = BankReadArgs::read();
    const uint32_t landing = args.landing;
    const uint32_t count = args.count;
    const uint32_t bytes = args.bytes;
    const uint32_t per_barrier = args.per_barrier;
    const bool same_address = args.same_address != 0;
    const auto place = BankPlace::read();
    const uint64_t address = get_noc_addr_from_bank_id<true>(place.bank, place.address);

    poll_barrier(args.coordinator, landing);
    DeviceZoneScopedN("burst");
    if (args.depth != 0) {
        read_with_ids(address, landing, count, bytes, args.depth);
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
