// SPDX-License-Identifier: Apache-2.0
// Writes this core's range of tiles, a push at a time.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::eltwise;

constexpr uint32_t cb_out = index_of(Cb::Output);

}  // namespace

void kernel_main() {
    const auto range = WriterRange::read();
    const uint32_t tiles_per_push = WriterArgs::read().tiles_per_push;
    const uint32_t tile_size = get_tile_size(cb_out);
    const auto output = TensorAccessor(WriterTensors::output(), range.output_address, tile_size);

    const uint32_t end = range.first_tile + range.num_tiles;
    for (uint32_t tile = range.first_tile; tile < end;) {
        // Reader and compute cut the range in the same way: whole pushes, then single tiles.
        const uint32_t count = end - tile < tiles_per_push ? 1 : tiles_per_push;
        cb_wait_front(cb_out, count);
        const uint32_t l1_addr = get_read_ptr(cb_out);
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_write_page(tile + i, output, l1_addr + i * tile_size);
        }
        // Flushed data has left L1, so compute may pack into the pages again. One barrier at the
        // end waits for arrival.
        noc_async_writes_flushed();
        cb_pop_front(cb_out, count);
        tile += count;
    }
    noc_async_write_barrier();
}
