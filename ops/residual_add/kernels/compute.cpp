// SPDX-License-Identifier: Apache-2.0
// Adds pieces. The part of a tile that no row fills is added too, and not stored.
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::residual_add;

void kernel_main() {
    constexpr uint32_t cb_a = index_of(Cb::A);
    constexpr uint32_t cb_b = index_of(Cb::B);
    constexpr uint32_t cb_out = index_of(Cb::Output);
    const uint32_t count = PieceCount::read().num_pieces;

    binary_op_init_common(cb_a, cb_b, cb_out);
    add_tiles_init(cb_a, cb_b);
    for (uint32_t piece = 0; piece < count; ++piece) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        tile_regs_acquire();
        add_tiles(cb_a, cb_b, 0, 0, 0);
        tile_regs_commit();
        // The sum is in DST, so the reader may refill the pages while it is packed.
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}
