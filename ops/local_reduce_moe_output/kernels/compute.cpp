// SPDX-License-Identifier: Apache-2.0
// Scales each contribution by its weight and adds it in DST. A chunk of a token's row is rounded
// once, when it is packed. A token without contributions packs zeros.
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::local_reduce_moe_output;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbWeights = index_of(Cb::Weights);
constexpr uint32_t kCbContributions = index_of(Cb::Contributions);
constexpr uint32_t kCbSum = index_of(Cb::Sum);

// DST accumulates: each product is added to the sum of the contributions before it.
void add_weighted_rows(uint32_t tiles, uint32_t chunk_tiles) {
    cb_wait_front(kCbRows, chunk_tiles);
    cb_wait_front(kCbWeights, 1);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        mul_tiles_bcast_scalar(kCbRows, kCbWeights, tile, 0, tile);
    }
    cb_pop_front(kCbRows, chunk_tiles);
    cb_pop_front(kCbWeights, 1);
}

}  // namespace

void kernel_main() {
    const uint32_t num_tokens = TokenCount::read().num_tokens;
    const auto args = ComputeArgs::read();
    const uint32_t row_tiles = args.row_tiles;
    const uint32_t chunk_tiles = args.chunk_tiles;

    // Multiplication adds to DST, so a product and its sum are one call: the weight is one number
    // for all of a row.
    init_bcast<EltwiseBinaryType::ELWMUL, BroadcastType::SCALAR>(kCbRows, kCbWeights, kCbSum);
    for (uint32_t token = 0; token < num_tokens; ++token) {
        cb_wait_front(kCbContributions, 1);
        const uint32_t contributions = read_tile_value(kCbContributions, 0, 0);
        cb_pop_front(kCbContributions, 1);
        for (uint32_t first = 0; first < row_tiles; first += chunk_tiles) {
            const uint32_t left = row_tiles - first;
            const uint32_t tiles = left < chunk_tiles ? left : chunk_tiles;
            tile_regs_acquire();
            if (contributions == 0) {
                zero_tiles(tiles);
            }
            for (uint32_t i = 0; i < contributions; ++i) {
                add_weighted_rows(tiles, chunk_tiles);
            }
            tile_regs_commit();
            // Space is reserved after the sums, so that a full output buffer does not delay them.
            cb_reserve_back(kCbSum, chunk_tiles);
            tile_regs_wait();
            // Tiles beyond the row hold what the buffer held; they are not packed.
            for (uint32_t tile = 0; tile < tiles; ++tile) {
                pack_tile(tile, kCbSum);
            }
            tile_regs_release();
            cb_push_back(kCbSum, chunk_tiles);
        }
    }
}
