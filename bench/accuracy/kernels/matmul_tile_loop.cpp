// SPDX-License-Identifier: Apache-2.0
// Multiplies one pair of tiles repeatedly and accumulates in one DST tile. The pair stays in L1.
#include "loop_args.hpp"

using namespace tessera::score;

void kernel_main() {
    constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
    constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const uint32_t count = MatmulTileLoopArgs::read().count;

    mm_init(cb_in0, cb_in1, cb_out);
    cb_wait_front(cb_in0, 1);
    cb_wait_front(cb_in1, 1);
    tile_regs_acquire();
    {
        DeviceZoneScopedN("loop");
        for (uint32_t i = 0; i < count; ++i) {
            matmul_tiles(cb_in0, cb_in1, 0, 0, 0);
        }
    }
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}
