// SPDX-License-Identifier: Apache-2.0
// Writes pages of an interleaved buffer from a CB, one at a time. Pops a page when it is in memory
// (barrier) or when it has left the core (flush).
#include "args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = TileWriteArgs::read();
    const uint32_t cb = args.cb;
    const bool has_barriers = args.has_barriers != 0;
    const auto pages = TensorAccessor(TileWriteTensors::pages(), TileWriteTensors::pages_address());
    auto range = TileWriteRange::read(TileWriteTensors::Addresses::kCount);

    for (uint32_t i = 0; i < range.count; ++i) {
        cb_wait_front(cb, 1);
        noc_async_write_page(range.page, pages, get_read_ptr(cb));
        if (has_barriers) {
            noc_async_write_barrier();
        } else {
            noc_async_writes_flushed();
        }
        cb_pop_front(cb, 1);
        range.page += args.step;
    }
    if (!has_barriers) {
        noc_async_write_barrier();
    }
}
