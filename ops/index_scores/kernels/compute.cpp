// SPDX-License-Identifier: Apache-2.0
// ReLU scores of heads times their weights, summed over heads.
//
// The vector unit sums over heads in DST, in fp32. The matrix unit could sum by a product with ones,
// but its operands have 8 bits: each tile would need three products and five more packs.
#include "../../shared/kernels/tile_moves.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::index_scores;

constexpr uint32_t cb_head_rows = index_of(Cb::HeadRows);
constexpr uint32_t cb_heads = index_of(Cb::Heads);
constexpr uint32_t cb_key_rows = index_of(Cb::KeyRows);
constexpr uint32_t cb_keys = index_of(Cb::Keys);
constexpr uint32_t cb_weight_columns = index_of(Cb::WeightColumns);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_key_scales = index_of(Cb::KeyScales);
constexpr uint32_t cb_units = index_of(Cb::ComputeUnits);
constexpr uint32_t cb_out = index_of(Cb::Output);

void pack_to(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    pack_reconfig_data_format(cb);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void take_token(const ComputeArgs& shapes, bool holds_one) {
    const uint32_t tiles = shapes.head_tiles * shapes.element_tiles;
    // A token's heads stay for all of its keys.
    if (holds_one) {
        cb_pop_front(cb_heads, tiles);
        cb_pop_front(cb_weights, shapes.head_tiles);
    }
    cb_reserve_back(cb_heads, tiles);
    for (uint32_t tile = 0; tile < shapes.head_tiles; ++tile) {
        tilize_rows(cb_head_rows, cb_heads, shapes.element_tiles);
    }
    cb_push_back(cb_heads, tiles);
    cb_wait_front(cb_heads, tiles);
    cb_wait_front(cb_weight_columns, shapes.head_tiles);
    // Weights are broadcast over columns once per token, because every key uses them.
    for (uint32_t tile = 0; tile < shapes.head_tiles; ++tile) {
        tile_regs_acquire();
        unary_bcast_init<BroadcastType::COL>(cb_weight_columns, cb_weights);
        unary_bcast<BroadcastType::COL>(cb_weight_columns, tile, 0);
        pack_to(cb_weights);
    }
    cb_pop_front(cb_weight_columns, shapes.head_tiles);
    cb_wait_front(cb_weights, shapes.head_tiles);
}

constexpr uint32_t kTogether = 2;  // tiles of heads in DST, beside as many of weights

// DST[first], … = weighted scores of `count` tiles of 32 heads each. Each call of the vector unit is
// initialised once for all of them.
void score_heads(const ComputeArgs& shapes, uint32_t tile, uint32_t count, uint32_t first) {
    // Keys come second and are transposed on their way into the source register.
    reconfig_data_format(cb_keys, cb_heads);
    mm_init_short(cb_heads, cb_keys, 1);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < shapes.element_tiles; ++k) {
            matmul_tiles(cb_heads, cb_keys, (tile + i) * shapes.element_tiles + k, k, first + i);
        }
    }
    // ReLU before the weight: a weight may be negative.
    relu_tile_init();
    for (uint32_t i = 0; i < count; ++i) {
        relu_tile(first + i);
    }
    init_copy(cb_weights);
    for (uint32_t i = 0; i < count; ++i) {
        copy_tile(cb_weights, tile + i, kTogether + i);
    }
    mul_binary_tile_init();
    for (uint32_t i = 0; i < count; ++i) {
        mul_binary_tile(first + i, kTogether + i, first + i);
    }
}

// Scores one tile of keys. A new section of DST is zero, so that the first two tiles of heads are
// multiplied together. The others are added one at a time.
void score_keys(const ComputeArgs& shapes) {
    cb_reserve_back(cb_keys, shapes.element_tiles);
    tilize_rows(cb_key_rows, cb_keys, shapes.element_tiles);
    cb_push_back(cb_keys, shapes.element_tiles);
    cb_wait_front(cb_keys, shapes.element_tiles);
    tile_regs_acquire();
    const uint32_t together = shapes.head_tiles < kTogether ? shapes.head_tiles : kTogether;
    score_heads(shapes, 0, together, 0);
    for (uint32_t tile = 1; tile < shapes.head_tiles; ++tile) {
        if (tile >= together) {
            // Products add to what a DST tile holds.
            fill_tile_init();
            fill_tile(1, 0.0F);
            score_heads(shapes, tile, 1, 1);
        }
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    cb_pop_front(cb_keys, shapes.element_tiles);
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, ReduceDim::REDUCE_COL>(0);
    // Scales of keys are applied last: they are the same for all heads.
    cb_wait_front(cb_key_scales, 1);
    copy_to(cb_key_scales, 0, 1);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    cb_pop_front(cb_key_scales, 1);
    pack_to(cb_out);
}

}  // namespace

void kernel_main() {
    const auto shapes = ComputeArgs::read();

    unary_op_init_common(cb_head_rows, cb_heads);
    // An endless loop: only the reader knows the number of keys.
    for (bool holds_one = false;; holds_one = true) {
        cb_wait_front(cb_units, 1);
        const uint32_t what = read_tile_value(cb_units, 0, 0);
        const uint32_t num_tiles = read_tile_value(cb_units, 0, 1);
        cb_pop_front(cb_units, 1);
        if (what == kEnd) {
            return;
        }
        if (what == kUnitOfNewToken) {
            take_token(shapes, holds_one);
        }
        for (uint32_t tile = 0; tile < num_tiles; ++tile) {
            score_keys(shapes);
        }
    }
}
