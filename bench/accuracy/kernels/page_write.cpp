// SPDX-License-Identifier: Apache-2.0
// Writes pages of an interleaved buffer in order; the first page follows the last one. One barrier
// at the end.

#include "barrier_poll.hpp"
#include "burst_args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = PageWriteArgs::read();
    const auto pages = TensorAccessor(PageTensors::pages(), PageTensors::pages_address());
    const auto range = PageRange::read(PageTensors::Addresses::kCount);
    uint32_t page = range.first;

    poll_barrier(args.coordinator, args.source);
    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < range.count; ++i) {
        noc_async_write_page(page, pages, args.source);
        page = page + 1 == args.num_pages ? 0 : page + 1;
    }
    noc_async_write_barrier();
}
