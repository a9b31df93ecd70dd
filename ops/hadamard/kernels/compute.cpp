// SPDX-License-Identifier: Apache-2.0
// Rows times a matrix of ±1, then times a factor.
#include "../../shared/row_strips/kernels/row_strips.hpp"
#include "args.hpp"

using namespace row_strips;

void kernel_main() {
    constexpr uint32_t cb_matrix = index_of(tessera::ops::hadamard::Cb::Matrix);
    const uint32_t num_units = UnitCount::read().num_units;
    const uint32_t factor = tessera::ops::hadamard::ComputeArgs::read().factor;

    unary_op_init_common(cb_rows, cb_tiles);
    // The matrix stays in L1 over all rows of the core.
    cb_wait_front(cb_matrix, kStripTiles * kStripTiles);
    for (uint32_t unit = 0; unit < num_units; ++unit) {
        tilize_unit(1);
        send_unit(1, [factor](uint32_t tile) {
            // The scale before ran in the vector unit and the packer; the product's setting is
            // restored for each tile.
            reconfig_data_format(cb_matrix, cb_tiles);
            mm_init_short(cb_tiles, cb_matrix);
            for (uint32_t k = 0; k < kStripTiles; ++k) {
                matmul_tiles(cb_tiles, cb_matrix, k, k * kStripTiles + tile, 0);
            }
            // The factor is applied to the fp32 sum: entries of 1/sqrt(n) would round.
            binop_with_scalar_tile_init();
            mul_unary_tile(0, factor);
        });
        cb_pop_front(cb_tiles, kStripTiles);
    }
}
