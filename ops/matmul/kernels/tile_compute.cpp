// SPDX-License-Identifier: Apache-2.0
// Multiplies one output tile after another; its sum stays in DST over all of K.
#include "args.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::matmul;
    constexpr uint32_t cb_in0 = index_of(Cb::In0);
    constexpr uint32_t cb_in1 = index_of(Cb::In1);
    constexpr uint32_t cb_out = index_of(Cb::Out);
    const uint32_t num_tiles = TileCount::read().num_tiles;
    const uint32_t k_tiles = TileComputeArgs::read().k_tiles;

    mm_init(cb_in0, cb_in1, cb_out);
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        tile_regs_acquire();
        // DST accumulates over all of K, so no partial sum passes through L1. Each operand tile is
        // used once and popped.
        for (uint32_t k = 0; k < k_tiles; ++k) {
            cb_wait_front(cb_in0, 1);
            cb_wait_front(cb_in1, 1);
            matmul_tiles(cb_in0, cb_in1, 0, 0, 0);
            cb_pop_front(cb_in0, 1);
            cb_pop_front(cb_in1, 1);
        }
        tile_regs_commit();
        // Space is reserved after the products, so that a full output buffer does not delay them.
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}
