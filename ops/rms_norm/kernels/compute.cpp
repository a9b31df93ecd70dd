// SPDX-License-Identifier: Apache-2.0
// Each row divided by the root of its mean square, times the weights.
#include "../../shared/row_strips/kernels/row_strips.hpp"
#include "args.hpp"

using namespace row_strips;
using tessera::ops::rms_norm::ComputeArgs;

namespace {

// Computes 1/√(mean of squares + epsilon) of each row, in every column.
void find_scale(uint32_t tiles, const SplitMember& split, const ComputeArgs& args) {
    tile_regs_acquire();
    // Squares of all tiles of a row are added element by element first, so that one product with
    // ones sums the row.
    copy_to(cb_tiles, 0, 0);
    square_tile_init();
    square_tile(0);
    for (uint32_t tile = 1; tile < tiles; ++tile) {
        copy_to(cb_tiles, tile, 1);
        square_tile_init();
        square_tile(1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    make_statistic(cb_first_statistic, split, [&] {
        binop_with_scalar_tile_init();
        mul_unary_tile(0, args.reciprocal);
        // Epsilon is added to the mean, before the root, as models define it.
        add_unary_tile(0, args.epsilon);
        rsqrt_tile_init();
        rsqrt_tile(0);
    });
}

}  // namespace

void kernel_main() {
    const auto share = ColumnShare::read();
    const auto split = SplitMember::read(ColumnShare::kCount);
    const auto args = ComputeArgs::read();
    const uint32_t strips = share.num_strips;

    unary_op_init_common(cb_rows, cb_tiles);
    for (uint32_t unit = 0; unit < share.num_units; ++unit) {
        tilize_unit(strips);
        cb_wait_front(cb_ones, 1);
        find_scale(strips * kStripTiles, split, args);
        // The weights stay in L1 over all rows of the core.
        cb_wait_front(cb_vectors, strips * kStripTiles);
        send_unit(strips, [](uint32_t tile) {
            // The scale is in every column already; weights are in row 0 and are spread by the
            // unpacker.
            copy_to(cb_tiles, tile, 0);
            copy_to(cb_first_statistic, 0, 1);
            broadcast_row_to(cb_vectors, tile, 2);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            mul_binary_tile(0, 2, 0);
        });
        cb_pop_front(cb_first_statistic, 1);
        cb_pop_front(cb_tiles, strips * kStripTiles);
    }
}
