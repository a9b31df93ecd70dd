// SPDX-License-Identifier: Apache-2.0
// Tilizes the rows of a unit once and multiplies them with the weights of this core's bank, column
// by column. After each round of columns it adds the sums of all banks for its column of the round
// before, which have arrived meanwhile.
#include "../../kernels/tile_moves.hpp"
#include "near_args.hpp"

namespace {

using namespace tessera::ops::row_products;
using tessera::ops::index_of;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_tiles = index_of(Cb::Tiles);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t cb_units = index_of(Cb::ComputeUnits);
constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_gathered = index_of(Cb::Gathered);
constexpr uint32_t cb_out = index_of(Cb::Output);

struct Part : NearArgs, NearComputeArgs {
    NearShare share;

    uint32_t rounds() const { return rounds_of(share.num_columns, banks); }
    uint32_t width(uint32_t round) const { return width_of_round(share.num_columns, banks, round); }
};

// Pushes the sum over the K tiles of a column that are in this core's bank.
void multiply_column(const Part& part, uint32_t first_tile) {
    tile_regs_acquire();
    uint32_t k = first_in_bank(first_tile, part.share.bank, part.banks);
    while (k < part.k_tiles) {
        cb_wait_front(cb_weights, part.k_push);
        for (uint32_t i = 0; i < part.k_push && k < part.k_tiles; ++i, k += part.banks) {
            matmul_block(cb_tiles, cb_weights, k, i, 0, 1, 1, 1, part.k_tiles);
        }
        cb_pop_front(cb_weights, part.k_push);
    }
    tile_regs_commit();
    cb_reserve_back(cb_partial, 1);
    tile_regs_wait();
    pack_tile(0, cb_partial);
    tile_regs_release();
    cb_push_back(cb_partial, 1);
}

// Ends a round: this core's column of it, if it has one. The banks' sums are added in their order.
void finish_round(const Part& part, uint32_t round) {
    if (part.is_scaled != 0) {
        cb_wait_front(cb_scales, 1);
    }
    if (part.share.bank < part.width(round)) {
        cb_wait_front(cb_gathered, part.banks);
        tile_regs_acquire();
        sum_tiles(cb_gathered, 0, part.banks);
        if (part.is_scaled != 0) {
            copy_to(cb_scales, 0, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
        }
        push_as_rows(cb_out);
        cb_pop_front(cb_gathered, part.banks);
    }
    // The scales are those of a unit, so that they leave with its last round.
    if (part.is_scaled != 0 && round + 1 == part.rounds()) {
        cb_pop_front(cb_scales, 1);
    }
}

void multiply_unit(const Part& part, uint32_t first_tile, bool is_first) {
    for (uint32_t round = 0; round < part.rounds(); ++round) {
        const uint32_t first = first_tile + round * part.banks * part.k_tiles;
        // The units keep their settings for all columns of a round.
        reconfig_data_format(cb_weights, cb_tiles);
        pack_reconfig_data_format(cb_partial);
        mm_block_init_short(cb_tiles, cb_weights, 1, 1, 1, part.k_tiles);
        for (uint32_t i = 0; i < part.width(round); ++i) {
            multiply_column(part, first + i * part.k_tiles);
        }
        if (round != 0 || !is_first) {
            finish_round(part, (round == 0 ? part.rounds() : round) - 1);
        }
    }
}

}  // namespace

void kernel_main() {
    const Part part{NearArgs::read(), NearComputeArgs::read(), NearShare::read()};
    mm_block_init(cb_tiles, cb_weights, cb_partial, 1, 1, 1, part.k_tiles);
    for (bool is_first = true;; is_first = false) {
        cb_wait_front(cb_units, 1);
        const auto what = static_cast<Announced>(read_tile_value(cb_units, 0, 0));
        const uint32_t first_tile = read_tile_value(cb_units, 0, 1);
        cb_pop_front(cb_units, 1);
        if (what == Announced::End) {
            if (!is_first) {
                finish_round(part, part.rounds() - 1);
            }
            return;
        }
        cb_reserve_back(cb_tiles, part.k_tiles);
        pack_reconfig_data_format(cb_tiles);
        tilize_rows(cb_rows, cb_tiles, part.k_tiles);
        cb_push_back(cb_tiles, part.k_tiles);
        cb_wait_front(cb_tiles, part.k_tiles);
        multiply_unit(part, first_tile, is_first);
        cb_pop_front(cb_tiles, part.k_tiles);
    }
}
