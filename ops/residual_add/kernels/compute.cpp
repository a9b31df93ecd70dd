// SPDX-License-Identifier: Apache-2.0
// Adds pieces. The part of a tile that no row fills is added too, and not stored.
#include "../../shared/kernels/tile_moves.hpp"
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
    for_each_tile(
        count, [] { add_tiles(cb_a, cb_b, 0, 0, 0); }, cb_out, cb_a, cb_b);
}
