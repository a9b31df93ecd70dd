// SPDX-License-Identifier: Apache-2.0
// Multicasts to one rectangle, linked or not, with one barrier at the end. Loop invariants are
// computed before the loops: the measured kernel knows them at compile time.
#include "burst_args.hpp"

using namespace tessera::score;

namespace {

struct Burst {
    uint32_t source = 0;
    uint64_t rectangle = 0;
    uint32_t bytes = 0;
    uint32_t num_receivers = 0;
};

void send_to_others(const Burst& burst, uint32_t count, bool is_linked) {
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_write_multicast(burst.source, burst.rectangle, burst.bytes, burst.num_receivers,
                                  is_linked);
    }
}

void send_to_all(const Burst& burst, uint32_t count, bool is_linked) {
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_write_multicast_loopback_src(burst.source, burst.rectangle, burst.bytes,
                                               burst.num_receivers, is_linked);
    }
}

}  // namespace

void kernel_main() {
    const auto args = MulticastBurstArgs::read();
    const uint64_t rectangle = get_noc_multicast_addr(args.start_x, args.start_y, args.end_x,
                                                      args.end_y, args.destination);
    const Burst burst{args.source, rectangle, args.bytes, args.num_receivers};
    const uint32_t count = args.count;
    const uint32_t linked = args.is_linked != 0 ? count - 1 : 0;  // the last one releases the path

    DeviceZoneScopedN("burst");
    if (args.includes_sender != 0) {
        send_to_all(burst, linked, true);
        send_to_all(burst, count - linked, false);
    } else {
        send_to_others(burst, linked, true);
        send_to_others(burst, count - linked, false);
    }
    noc_async_write_barrier();
}
