// SPDX-License-Identifier: Apache-2.0
// Packs each tile in the format of the output's buffer.
#include "../../scale/kernels/args.hpp"
#include "../../shared/kernels/tile_moves.hpp"

using namespace tessera::ops;
using namespace tessera::ops::scale;

void kernel_main() {
    const uint32_t count = TileCount::read().num_tiles;
    constexpr uint32_t cb_input = index_of(Cb::Input);
    constexpr uint32_t cb_output = index_of(Cb::Output);
    init_sfpu(cb_input, cb_output);
    for_each_tile(
        count, [] { copy_tile(cb_input, 0, 0); }, cb_output, cb_input);
}
