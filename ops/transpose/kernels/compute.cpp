// SPDX-License-Identifier: Apache-2.0
// Transposes each tile on its way through the unpacker.
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"
#include "compute_kernel_api/transpose_wh.h"

using namespace tessera::ops;
using namespace tessera::ops::scale;

void kernel_main() {
    const uint32_t count = TileCount::read().num_tiles;
    constexpr uint32_t cb_input = index_of(Cb::Input);
    constexpr uint32_t cb_output = index_of(Cb::Output);
    transpose_wh_init(cb_input, cb_output);
    for_each_tile(
        count, [] { transpose_wh_tile(cb_input, 0, 0); }, cb_output, cb_input);
}
