// SPDX-License-Identifier: Apache-2.0
// Adds the contributions to a token in DST, in the vector unit, whose products and sums are fp32.
// The tile after the sums holds the product. A token without contributions packs zeros.
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_sum;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_contributions = index_of(Cb::Contributions);
constexpr uint32_t cb_sum = index_of(Cb::Sum);
constexpr uint32_t kFloat32 = (uint32_t)DataFormat::Float32;
constexpr uint32_t kBfloat16 = (uint32_t)DataFormat::Float16_b;

void round_to_bf16(uint32_t dst) {
    typecast_tile_init<kFloat32, kBfloat16>();
    typecast_tile<kFloat32, kBfloat16>(dst);
}

uint32_t take_weight() {
    cb_wait_front(cb_weights, 1);
    const uint32_t weight = read_tile_value(cb_weights, 0, 0);
    cb_pop_front(cb_weights, 1);
    return weight;
}

void add_contribution(uint32_t tiles, uint32_t product, bool is_weighted, uint32_t weight,
                      bool rounds_every_sum) {
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        copy_tile(cb_rows, tile, product);
        if (is_weighted) {
            // Each init replaces the one before, since the vector unit is set up for one function
            // at a time.
            binop_with_scalar_tile_init();
            mul_unary_tile(product, weight);
            round_to_bf16(product);
        }
        // The sum stays in its own DST tile; only the product moves through the last one.
        add_binary_tile_init();
        add_binary_tile(tile, product, tile);
        if (rounds_every_sum) {
            round_to_bf16(tile);
        }
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_tokens = TokenCount::read().num_tokens;
    const auto args = ComputeArgs::read();
    const uint32_t chunk_tiles = args.chunk_tiles;
    const bool is_weighted = args.is_weighted != 0;
    const bool rounds_every_sum = args.rounds_every_sum != 0;

    init_sfpu(cb_rows, cb_sum);
    for (uint32_t token = 0; token < num_tokens; ++token) {
        cb_wait_front(cb_contributions, 1);
        // The number is data of the device. The unpacker reads it and passes it to math and pack.
        const uint32_t contributions = read_tile_value(cb_contributions, 0, 0);
        cb_pop_front(cb_contributions, 1);
        for (uint32_t first = 0; first < args.row_tiles; first += chunk_tiles) {
            const uint32_t left = args.row_tiles - first;
            const uint32_t tiles = left < chunk_tiles ? left : chunk_tiles;
            tile_regs_acquire();
            if (contributions == 0) {
                zero_tiles(tiles);
            }
            for (uint32_t i = 0; i < contributions; ++i) {
                const uint32_t weight = is_weighted ? take_weight() : 0;
                cb_wait_front(cb_rows, chunk_tiles);
                add_contribution(tiles, chunk_tiles, is_weighted, weight, rounds_every_sum);
                cb_pop_front(cb_rows, chunk_tiles);
            }
            tile_regs_commit();
            cb_reserve_back(cb_sum, chunk_tiles);
            tile_regs_wait();
            // Tiles beyond the row hold what the buffer held; they are not packed.
            for (uint32_t tile = 0; tile < tiles; ++tile) {
                pack_tile(tile, cb_sum);
            }
            tile_regs_release();
            cb_push_back(cb_sum, chunk_tiles);
        }
    }
}
