// SPDX-License-Identifier: Apache-2.0
// Both factors go through DST, where the vector unit multiplies them in full precision: the matrix
// unit would cut silu(gate) to TF32 on its way back to a source register.
#include "../../shared/kernels/tile_moves.hpp"
#include "../../shared/valid_tiles/kernels/block_count.hpp"

void kernel_main() {
    using namespace tessera::ops::valid_tiles;
    constexpr uint32_t cb_gate = tessera::ops::index_of(Cb::Input);
    constexpr uint32_t cb_up = tessera::ops::index_of(Cb::SecondInput);
    constexpr uint32_t cb_out = tessera::ops::index_of(Cb::Output);

    const uint32_t num_tiles = num_blocks_of(BlockCount::read().num_blocks);
    init_sfpu(cb_gate, cb_out);
    for_each_tile(
        num_tiles,
        [] {
            copy_tile(cb_gate, 0, 0);
            copy_tile(cb_up, 0, 1);
            // Both functions are set up for each tile, since the vector unit keeps one at a time.
            // Two passes over the tensors would cost more.
            silu_tile_init();
            silu_tile(0);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
        },
        cb_out, cb_gate, cb_up);
}
