// SPDX-License-Identifier: Apache-2.0
// Tiles the rows of both operands, then multiplies one with the other's transpose; the sum stays in
// DST over this core's part of K. The first of several members adds the sums of all.
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::gate_linear;

constexpr uint32_t cb_token_rows = index_of(Cb::TokenRows);
constexpr uint32_t cb_expert_rows = index_of(Cb::ExpertRows);
constexpr uint32_t cb_tokens = index_of(Cb::Tokens);
constexpr uint32_t cb_experts = index_of(Cb::Experts);
constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_gathered = index_of(Cb::Gathered);
constexpr uint32_t cb_out = index_of(Cb::Output);

void tile_chunk(uint32_t cb_rows, uint32_t cb_tiles, uint32_t chunk, uint32_t tiles) {
    cb_wait_front(cb_rows, chunk);
    // Each operand is tilized by its own call, so unpacker and packer are set up again for each
    // chunk.
    tilize_init(cb_rows, chunk, cb_tiles);
    tilize_block(cb_rows, tiles, cb_tiles);
    tilize_uninit(cb_rows, cb_tiles);
    // Whole chunks, also the last one: the buffer is a multiple of them and wraps only at its exact
    // end.
    cb_pop_front(cb_rows, chunk);
}

// Tiles of this core's part of K, with that of the bias.
void tile_rows(const ComputeArgs& args, uint32_t k_tiles, uint32_t all_tiles) {
    // Room for all of K at once: the product needs every tile in place, and no other thread empties
    // the buffers.
    cb_reserve_back(cb_tokens, all_tiles);
    cb_reserve_back(cb_experts, all_tiles);
    for (uint32_t first = 0; first < k_tiles; first += args.chunk) {
        const uint32_t tiles = args.chunk < k_tiles - first ? args.chunk : k_tiles - first;
        tile_chunk(cb_token_rows, cb_tokens, args.chunk, tiles);
        tile_chunk(cb_expert_rows, cb_experts, args.chunk, tiles);
    }
    if (all_tiles > k_tiles) {
        tile_chunk(cb_token_rows, cb_tokens, args.chunk, 1);
        tile_chunk(cb_expert_rows, cb_experts, args.chunk, 1);
    }
    cb_push_back(cb_tokens, all_tiles);
    cb_push_back(cb_experts, all_tiles);
}

void multiply(uint32_t all_tiles) {
    // The last argument transposes the second operand: rows of experts are the columns of the
    // product.
    mm_init(cb_tokens, cb_experts, cb_out, 1);
    cb_wait_front(cb_tokens, all_tiles);
    cb_wait_front(cb_experts, all_tiles);
    tile_regs_acquire();
    for (uint32_t k = 0; k < all_tiles; ++k) {
        matmul_tiles(cb_tokens, cb_experts, k, k, 0);
    }
    tile_regs_commit();
    cb_pop_front(cb_tokens, all_tiles);
    cb_pop_front(cb_experts, all_tiles);
}

void push_partial() {
    cb_reserve_back(cb_partial, 1);
    pack_reconfig_data_format(cb_partial);
    tile_regs_wait();
    pack_tile(0, cb_partial);
    tile_regs_release();
    cb_push_back(cb_partial, 1);
}

void add_partials(uint32_t members) {
    cb_wait_front(cb_gathered, members);
    tile_regs_acquire();
    sum_tiles(cb_gathered, 0, members);
    tile_regs_commit();
    cb_pop_front(cb_gathered, members);
}

void push_logits() {
    cb_reserve_back(cb_out, 1);
    pack_reconfig_data_format(cb_out);
    // Logits are stored as rows, so that the packer untilizes and no second pass through L1 is
    // needed.
    pack_untilize_dest_init<1, 1>(cb_out);
    tile_regs_wait();
    pack_untilize_dest<1, 1>(cb_out);
    tile_regs_release();
    pack_untilize_uninit(cb_out);
    cb_push_back(cb_out, 1);
}

}  // namespace

void kernel_main() {
    const uint32_t num_units = UnitCount::read().num_units;
    const auto part = KPart::read(UnitCount::kCount);
    const auto args = ComputeArgs::read();
    const bool is_first = part.member == 0;
    const uint32_t all_tiles = part.num_k + (is_first ? args.has_bias : 0);

    for (uint32_t unit = 0; unit < num_units; ++unit) {
        tile_rows(args, part.num_k, all_tiles);
        multiply(all_tiles);
        if (args.members > 1) {
            push_partial();
            if (is_first) {
                add_partials(args.members);
            }
        }
        if (is_first) {
            push_logits();
        }
    }
}
