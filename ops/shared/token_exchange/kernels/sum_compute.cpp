// SPDX-License-Identifier: Apache-2.0
// Sums the contributions to a token in fp32, one after the other: t_0, t_0 + t_1, … with
// t_i = weight_i · row_i, each product and sum rounded to fp32; the sum is rounded once when
// packed.
#include "sum.hpp"

namespace {

using namespace tessera::ops::token_exchange;

// Adds contribution `index` of the token to DST 0.
void add_term(uint32_t index, bool weighs) {
    // The first term goes to DST 0 as it is. It is not added to zeros, which would change -0.
    const uint32_t dst = index == 0 ? 0 : 1;
    cb_wait_front(kCbContributions, 1);
    copy_tile_to_dst_init_short(kCbContributions);
    copy_tile(kCbContributions, 0, dst);
    cb_pop_front(kCbContributions, 1);
    if (weighs) {
        binop_with_scalar_tile_init();
        // Weights are words of the announcement, so that they need no tile of their own.
        mul_unary_tile(dst, read_tile_value(kCbTerms, 0, 1 + index));
    }
    if (index > 0) {
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_tokens = TokenCount::read().num_tokens;
    const auto args = SumComputeArgs::read();

    // Once for the formats; the copies below set up only what arithmetic has changed.
    unary_op_init_common(kCbContributions, kCbSum);
    copy_tile_to_dst_init_short(kCbContributions);
    for (uint32_t token = 0; token < num_tokens; ++token) {
        cb_wait_front(kCbTerms, 1);
        const uint32_t terms = read_tile_value(kCbTerms, 0, 0);
        for (uint32_t tile = 0; tile < args.row_tiles; ++tile) {
            tile_regs_acquire();
            // A token of which no expert has a row: its output is defined as 0.
            if (terms == 0) {
                fill_tile_init();
                fill_tile(0, 0.0F);
            }
            for (uint32_t i = 0; i < terms; ++i) {
                add_term(i, args.weighs != 0);
            }
            tile_regs_commit();
            cb_reserve_back(kCbSum, 1);
            tile_regs_wait();
            pack_tile(0, kCbSum);
            tile_regs_release();
            cb_push_back(kCbSum, 1);
        }
        // The announcement stays until all tiles of the row are made.
        cb_pop_front(kCbTerms, 1);
    }
}
