// SPDX-License-Identifier: Apache-2.0
// Writes to each destination in turn, with one barrier at the end.
// Runtime args: NoC coordinates of each destination, x << 16 | y.
#include "burst_args.hpp"

using namespace tessera::score;

namespace {

// Commands with latched coordinates move at most one packet each.
void write_with_state(uint32_t source, uint64_t destination, uint32_t bytes, uint32_t count,
                      uint32_t packet) {
    const uint32_t piece = bytes < packet ? bytes : packet;
    noc_async_write_one_packet_set_state(destination, piece);
    if (bytes <= packet) {  // one loop, as in the measured kernel
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_write_one_packet_with_state(source, static_cast<uint32_t>(destination));
        }
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t offset = 0; offset < bytes; offset += piece) {
            noc_async_write_one_packet_with_state(source + offset,
                                                  static_cast<uint32_t>(destination) + offset);
        }
    }
}

}  // namespace

void kernel_main() {
    const auto args = WriteBurstArgs::read();

    DeviceZoneScopedN("burst");
    for (uint32_t d = 0; d < args.num_destinations; ++d) {
        const uint32_t coordinates = get_arg_val<uint32_t>(d);
        const uint64_t address =
            get_noc_addr(coordinates >> 16, coordinates & 0xFFFF, args.destination);
        if (args.packet_with_state != 0) {
            write_with_state(args.source, address, args.bytes, args.count, args.packet_with_state);
            continue;
        }
        for (uint32_t i = 0; i < args.count; ++i) {
            noc_async_write(args.source, address, args.bytes);
        }
    }
    noc_async_write_barrier();
}
