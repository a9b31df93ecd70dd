// SPDX-License-Identifier: Apache-2.0
// Writes this core's output tiles, which are consecutive.
#include "args.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::matmul;
    constexpr uint32_t cb_out = index_of(Cb::Out);
    const auto addresses = OutTensors::Addresses::read();
    const auto range = TileRange::read(OutTensors::Addresses::kCount);
    const auto out = TensorAccessor(OutTensors::out(), addresses.out, get_tile_size(cb_out));

    for (uint32_t tile = range.first_tile; tile < range.first_tile + range.num_tiles; ++tile) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(tile, out, get_read_ptr(cb_out));
        // The page may be packed again after the pop. noc_async_writes_flushed() would be enough
        // for that; the barrier is the one of tt-metal's example.
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
