// SPDX-License-Identifier: Apache-2.0
// Reads pages of an interleaved buffer in order; the first page follows the last one.

#include "barrier_poll.hpp"
#include "burst_args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = PageReadArgs::read();
    const uint32_t landing = args.landing;
    const uint32_t per_barrier = args.per_barrier;
    const auto pages = TensorAccessor(PageTensors::pages(), PageTensors::pages_address());
    const auto range = PageRange::read(PageTensors::Addresses::kCount);
    uint32_t page = range.first;

    poll_barrier(args.coordinator, landing);
    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < range.count; ++i) {
        noc_async_read_page(page, pages, landing);
        page = page + 1 == args.num_pages ? 0 : page + 1;
        if (per_barrier != 0 && (i + 1) % per_barrier == 0) {
            noc_async_read_barrier();
        }
    }
    noc_async_read_barrier();
}
