// SPDX-License-Identifier: Apache-2.0
// Multiplies each tile by a number, whose fp32 bits are a compile-time argument.
#include "args.hpp"
#include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"

using namespace tessera::ops;
using namespace tessera::ops::scale;

void kernel_main() {
    const uint32_t count = TileCount::read().num_tiles;
    const uint32_t factor = ComputeArgs::read().factor;
    constexpr uint32_t cb_input = index_of(Cb::Input);
    constexpr uint32_t cb_output = index_of(Cb::Output);
    init_sfpu(cb_input, cb_output);
    // Set up once: the loop uses a single function of the vector unit.
    binop_with_scalar_tile_init();

    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(cb_input, 1);
        tile_regs_acquire();
        copy_tile(cb_input, 0, 0);
        mul_unary_tile(0, factor);
        tile_regs_commit();
        // DST holds the tile, so the page is free for the reader.
        cb_pop_front(cb_input, 1);

        cb_reserve_back(cb_output, 1);
        tile_regs_wait();
        pack_tile(0, cb_output);
        tile_regs_release();
        cb_push_back(cb_output, 1);
    }
}
