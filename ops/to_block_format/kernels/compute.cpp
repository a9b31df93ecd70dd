// SPDX-License-Identifier: Apache-2.0
// Packs each tile in the format of the output's buffer.
#include "../../scale/kernels/args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::scale;

void kernel_main() {
    const uint32_t count = TileCount::read().num_tiles;
    constexpr uint32_t cb_input = index_of(Cb::Input);
    constexpr uint32_t cb_output = index_of(Cb::Output);
    init_sfpu(cb_input, cb_output);

    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(cb_input, 1);
        tile_regs_acquire();
        copy_tile(cb_input, 0, 0);
        tile_regs_commit();
        cb_pop_front(cb_input, 1);

        cb_reserve_back(cb_output, 1);
        tile_regs_wait();
        pack_tile(0, cb_output);
        tile_regs_release();
        cb_push_back(cb_output, 1);
    }
}
