// SPDX-License-Identifier: Apache-2.0
// Reads this core's range of tiles from one input or two, a push and a barrier at a time.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::eltwise;

constexpr uint32_t cb_a = index_of(Cb::A);
constexpr uint32_t cb_b = index_of(Cb::B);

template <class Accessor>
void read_tiles(const Accessor& input, uint32_t cb, uint32_t first, uint32_t count) {
    const uint32_t tile_size = get_tile_size(cb);
    uint32_t l1_addr = get_write_ptr(cb);
    for (uint32_t tile = first; tile < first + count; ++tile) {
        noc_async_read_page(tile, input, l1_addr);
        l1_addr += tile_size;
    }
}

}  // namespace

void kernel_main() {
    const auto range = ReaderRange::read();
    const auto args = ReaderArgs::read();
    const auto a = TensorAccessor(ReaderTensors::a(), range.a_address, get_tile_size(cb_a));
    const auto b = TensorAccessor(ReaderTensors::b(), range.b_address, get_tile_size(cb_a));

    const uint32_t end = range.first_tile + range.num_tiles;
    for (uint32_t tile = range.first_tile; tile < end;) {
        // Compute and writer cut the range in the same way: whole pushes, then single tiles.
        const uint32_t count = end - tile < args.tiles_per_push ? 1 : args.tiles_per_push;
        cb_reserve_back(cb_a, count);
        if (args.num_inputs == 2) {
            cb_reserve_back(cb_b, count);
        }
        read_tiles(a, cb_a, tile, count);
        if (args.num_inputs == 2) {
            read_tiles(b, cb_b, tile, count);
        }
        // One barrier for both operands: reads of b overlap those of a. tiles_per_push trades this
        // overlap against L1.
        noc_async_read_barrier();
        cb_push_back(cb_a, count);
        if (args.num_inputs == 2) {
            cb_push_back(cb_b, count);
        }
        tile += count;
    }
}
