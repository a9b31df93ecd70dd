// SPDX-License-Identifier: Apache-2.0
#include "../../shared/kernels/tile_moves.hpp"
#include "../../shared/valid_tiles/kernels/block_count.hpp"

void kernel_main() {
    using namespace tessera::ops::valid_tiles;
    constexpr uint32_t cb_gate = tessera::ops::index_of(Cb::Input);
    constexpr uint32_t cb_out = tessera::ops::index_of(Cb::Output);

    const uint32_t num_tiles = num_blocks_of(BlockCount::read().num_blocks);
    init_sfpu(cb_gate, cb_out);
    // Set up once: the loop uses a single function of the vector unit.
    silu_tile_init();
    for_each_tile(
        num_tiles,
        [] {
            copy_tile(cb_gate, 0, 0);
            silu_tile(0);
        },
        cb_out, cb_gate);
}
