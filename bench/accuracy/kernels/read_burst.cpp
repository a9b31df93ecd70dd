// SPDX-License-Identifier: Apache-2.0
// Reads from several sources: all reads of one source before the next source, or one read per
// source in turn. One barrier at the end.
// Runtime args: NoC coordinates of each source, x << 16 | y.
#include "burst_args.hpp"

using namespace tessera::score;

namespace {

uint64_t source_address(uint32_t index, uint32_t address) {
    const uint32_t coordinates = get_arg_val<uint32_t>(index);
    return get_noc_addr(coordinates >> 16, coordinates & 0xFFFF, address);
}

}  // namespace

void kernel_main() {
    const auto args = ReadBurstArgs::read();
    const uint32_t source = args.source;
    const uint32_t destination = args.destination;
    const uint32_t count = args.count;
    const uint32_t bytes = args.bytes;
    const bool with_state = args.with_state != 0;

    DeviceZoneScopedN("burst");
    if (args.in_turn != 0) {
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t s = 0; s < args.num_sources; ++s) {
                noc_async_read(source_address(s, source), destination, bytes);
            }
        }
        noc_async_read_barrier();
        return;
    }
    for (uint32_t s = 0; s < args.num_sources; ++s) {
        const uint64_t address = source_address(s, source);
        if (with_state) {
            noc_async_read_set_state(address);
        }
        for (uint32_t i = 0; i < count; ++i) {
            if (with_state) {
                noc_async_read_with_state(source, destination, bytes);
            } else {
                noc_async_read(address, destination, bytes);
            }
        }
    }
    noc_async_read_barrier();
}
