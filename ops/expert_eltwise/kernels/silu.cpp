// SPDX-License-Identifier: Apache-2.0
#include "../../shared/valid_tiles/kernels/block_count.hpp"

void kernel_main() {
    using namespace tessera::ops::valid_tiles;
    constexpr uint32_t cb_gate = tessera::ops::index_of(Cb::Input);
    constexpr uint32_t cb_out = tessera::ops::index_of(Cb::Output);

    const uint32_t num_tiles = num_blocks_of(BlockCount::read().num_blocks);
    init_sfpu(cb_gate, cb_out);
    // Set up once: the loop uses a single function of the vector unit.
    silu_tile_init();
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        cb_wait_front(cb_gate, 1);
        tile_regs_acquire();
        copy_tile(cb_gate, 0, 0);
        silu_tile(0);
        tile_regs_commit();
        // DST holds the tile, so that the reader may refill the page.
        cb_pop_front(cb_gate, 1);

        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}
