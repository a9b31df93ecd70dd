// SPDX-License-Identifier: Apache-2.0
// Each element times its factor plus its partner times the partner's.
#include "../../shared/row_strips/kernels/row_strips.hpp"
#include "args.hpp"

using namespace row_strips;
using tessera::ops::rope::Cb;

namespace {

constexpr uint32_t cb_own = index_of(Cb::Own);
constexpr uint32_t cb_partner = index_of(Cb::Partner);
constexpr uint32_t cb_factor_rows = index_of(Cb::FactorRows);
constexpr uint32_t cb_partner_factor_rows = index_of(Cb::PartnerFactorRows);
constexpr uint32_t cb_factors = index_of(Cb::Factors);
constexpr uint32_t cb_partner_factors = index_of(Cb::PartnerFactors);

void tilize_strip(uint32_t cb_from, uint32_t cb_to) {
    // Factors arrive as rows, like heads, and become tiles in the same way.
    cb_wait_front(cb_from, kStripTiles);
    cb_reserve_back(cb_to, kStripTiles);
    tilize_init(cb_from, kStripTiles, cb_to);
    tilize_block(cb_from, kStripTiles, cb_to);
    tilize_uninit(cb_from, cb_to);
    cb_push_back(cb_to, kStripTiles);
    cb_pop_front(cb_from, kStripTiles);
    cb_wait_front(cb_to, kStripTiles);
}

// DST[dst] = the head's elements in the order of a matrix.
void sort(uint32_t cb_matrix, uint32_t tile, uint32_t dst) {
    // The reordering is a product with a matrix of ones and zeros, which is exact: each element is
    // multiplied by 1 once.
    reconfig_data_format(cb_matrix, cb_tiles);
    mm_init_short(cb_tiles, cb_matrix);
    for (uint32_t k = 0; k < kStripTiles; ++k) {
        matmul_tiles(cb_tiles, cb_matrix, k, k * kStripTiles + tile, dst);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_units = UnitCount::read().num_units;
    const uint32_t strips = StripArgs::read().strips;

    unary_op_init_common(cb_rows, cb_tiles);
    // Both matrices stay in L1 over all rows of the core.
    cb_wait_front(cb_own, kStripTiles * kStripTiles);
    cb_wait_front(cb_partner, kStripTiles * kStripTiles);
    for (uint32_t unit = 0; unit < num_units; ++unit) {
        tilize_unit(strips);
        tilize_strip(cb_factor_rows, cb_factors);
        tilize_strip(cb_partner_factor_rows, cb_partner_factors);
        // Elements and partners in DST 0 and 1, their factors in 2 and 3: four tiles, which is half
        // of a 32-bit DST.
        send_unit(strips, [](uint32_t tile) {
            // Rotated elements are in the first strip of a head.
            if (tile >= kStripTiles) {
                return copy_to(cb_tiles, tile, 0);
            }
            sort(cb_own, tile, 0);
            sort(cb_partner, tile, 1);
            copy_to(cb_factors, tile, 2);
            copy_to(cb_partner_factors, tile, 3);
            mul_binary_tile_init();
            mul_binary_tile(0, 2, 0);
            mul_binary_tile(1, 3, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
        });
        cb_pop_front(cb_factors, kStripTiles);
        cb_pop_front(cb_partner_factors, kStripTiles);
        cb_pop_front(cb_tiles, strips * kStripTiles);
    }
}
