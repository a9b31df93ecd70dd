// SPDX-License-Identifier: Apache-2.0
// A function of single tiles in the vector unit.
#include "args.hpp"
#include "vector_function.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::eltwise;

constexpr uint32_t cb_a = index_of(Cb::A);
constexpr uint32_t cb_out = index_of(Cb::Output);

// The vendor's functions take the faster form as a template argument, so a runtime choice needs two
// instances.
template <bool approximate>
void map_tiles(uint32_t function, uint32_t num_tiles, uint32_t tiles_per_push) {
    init_sfpu(cb_a, cb_out);
    init_function<approximate>(function);
    for (uint32_t left = num_tiles; left > 0;) {
        const uint32_t count = left < tiles_per_push ? 1 : tiles_per_push;
        // Output room for a push, input tile by tile, as in tt-metal's eltwise_sfpu.cpp.
        cb_reserve_back(cb_out, count);
        for (uint32_t tile = 0; tile < count; ++tile) {
            tile_regs_acquire();
            cb_wait_front(cb_a, 1);
            copy_tile(cb_a, 0, 0);
            apply_function<approximate>(function);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, cb_out);
            cb_pop_front(cb_a, 1);
            tile_regs_release();
        }
        cb_push_back(cb_out, count);
        left -= count;
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_tiles = ComputeRange::read().num_tiles;
    const auto args = ComputeArgs::read();
    if (args.approximate != 0) {
        map_tiles<true>(args.function, num_tiles, args.tiles_per_push);
    } else {
        map_tiles<false>(args.function, num_tiles, args.tiles_per_push);
    }
}
