// SPDX-License-Identifier: Apache-2.0
// Issues reads or writes with a barrier after each. Each transfer is a zone of its own.
#include "burst_args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = SingleTransfersArgs::read();

    for (uint32_t i = 0; i < args.count; ++i) {
        DeviceZoneScopedN("transfer");
        if (args.is_read != 0) {
            noc_async_read(get_noc_addr(args.x, args.y, args.source), args.destination, args.bytes);
            noc_async_read_barrier();
        } else {
            noc_async_write(args.source, get_noc_addr(args.x, args.y, args.destination),
                            args.bytes);
            noc_async_write_barrier();
        }
    }
}
