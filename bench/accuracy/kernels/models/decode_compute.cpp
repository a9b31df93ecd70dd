// SPDX-License-Identifier: Apache-2.0
// Attention of one token's heads over one chunk of keys. Tilizes queries; computes masked scores,
// exponentials relative to the row maximum, and sums; multiplies by values and divides by the sums;
// untilizes.
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t cb_queries = tt::CBIndex::c_0;
constexpr uint32_t cb_keys = tt::CBIndex::c_1;
constexpr uint32_t cb_values = tt::CBIndex::c_2;
constexpr uint32_t cb_mask = tt::CBIndex::c_3;
constexpr uint32_t cb_ones = tt::CBIndex::c_5;
constexpr uint32_t cb_query_rows = tt::CBIndex::c_10;
constexpr uint32_t cb_zero = tt::CBIndex::c_12;
constexpr uint32_t cb_result_rows = tt::CBIndex::c_20;
constexpr uint32_t cb_result = tt::CBIndex::c_23;
constexpr uint32_t cb_scores = tt::CBIndex::c_24;
constexpr uint32_t cb_outputs = tt::CBIndex::c_25;
constexpr uint32_t cb_weights = tt::CBIndex::c_26;
constexpr uint32_t cb_largest = tt::CBIndex::c_27;
constexpr uint32_t cb_last_largest = tt::CBIndex::c_28;
constexpr uint32_t cb_sums = tt::CBIndex::c_29;
constexpr uint32_t cb_last_sums = tt::CBIndex::c_30;
constexpr uint32_t cb_shares = tt::CBIndex::c_31;
constexpr uint32_t kHeadTiles = 4;

// Packs the first `count` tiles of DST.
void pack_tiles(uint32_t cb, uint32_t count) {
    tile_regs_commit();
    cb_reserve_back(cb, count);
    tile_regs_wait();
    for (uint32_t tile = 0; tile < count; ++tile) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
    cb_push_back(cb, count);
}

void tilize_queries() {
    cb_wait_front(cb_query_rows, kHeadTiles);
    cb_reserve_back(cb_queries, kHeadTiles);
    tilize_init(cb_query_rows, kHeadTiles, cb_queries);
    tilize_block(cb_query_rows, kHeadTiles, cb_queries);
    tilize_uninit(cb_query_rows, cb_queries);
    cb_push_back(cb_queries, kHeadTiles);
    cb_pop_front(cb_query_rows, kHeadTiles);
}

// Multiplies one row of tiles: `inner` tiles of `left` by `inner` rows of `columns` tiles of
// `right`.
void multiply(uint32_t left, uint32_t right, uint32_t inner, uint32_t columns, uint32_t transpose) {
    mm_block_init_short(left, right, transpose, columns, 1, inner);
    reconfig_data_format(right, left);
    cb_wait_front(left, inner);
    cb_wait_front(right, inner * columns);
    tile_regs_acquire();
    for (uint32_t k = 0; k < inner; ++k) {
        matmul_block(left, right, k, k * columns, 0, transpose, columns, 1, inner);
    }
}

void add_mask(uint32_t key_tiles) {
    cb_wait_front(cb_mask, key_tiles);
    cb_wait_front(cb_zero, 1);
    reconfig_data_format(cb_zero, cb_mask);
    add_tiles_init(cb_zero, cb_mask, true);
    for (uint32_t tile = 0; tile < key_tiles; ++tile) {
        add_tiles(cb_zero, cb_mask, 0, tile, tile);
    }
}

template <PoolType type>
void reduce_rows(uint32_t cb, uint32_t tiles, uint32_t cb_out) {
    reconfig_data_format(cb, cb_ones);
    pack_reconfig_data_format(cb_out);
    cb_wait_front(cb_ones, 1);
    cb_wait_front(cb, tiles);
    tile_regs_acquire();
    reduce_init<type, ReduceDim::REDUCE_ROW>(cb, cb_ones, cb_out);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        reduce_tile<type, ReduceDim::REDUCE_ROW>(cb, cb_ones, tile, 0, 0);
    }
    pack_tiles(cb_out, 1);
    reduce_uninit();
}

void weigh(uint32_t key_tiles) {
    reconfig_data_format(cb_scores, cb_largest);
    pack_reconfig_data_format(cb_weights);
    sub_bcast_cols_init_short(cb_scores, cb_largest);
    exp_tile_init<true, true>();
    cb_wait_front(cb_largest, 1);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < key_tiles; ++tile) {
        sub_tiles_bcast_cols(cb_scores, cb_largest, tile, 0, tile);
        exp_tile<true, true>(tile, VectorMode::R);
    }
    pack_tiles(cb_weights, key_tiles);
    cb_pop_front(cb_scores, key_tiles);
}

void move_tile(uint32_t cb, uint32_t cb_out) {
    copy_tile_to_dst_init_short(cb);
    cb_wait_front(cb, 1);
    tile_regs_acquire();
    copy_tile(cb, 0, 0);
    pack_tiles(cb_out, 1);
    cb_pop_front(cb, 1);
}

void invert_sums() {
    reconfig_data_format(cb_last_sums, cb_last_sums);
    pack_reconfig_data_format(cb_shares);
    copy_tile_to_dst_init_short(cb_last_sums);
    recip_tile_init();
    cb_wait_front(cb_last_sums, 1);
    tile_regs_acquire();
    copy_tile(cb_last_sums, 0, 0);
    recip_tile(0, VectorMode::C);
    pack_tiles(cb_shares, 1);
    cb_pop_front(cb_last_sums, 1);
}

void share_out() {
    reconfig_data_format(cb_outputs, cb_shares);
    pack_reconfig_data_format(cb_result);
    mul_bcast_cols_init_short(cb_outputs, cb_shares);
    cb_wait_front(cb_outputs, kHeadTiles);
    cb_wait_front(cb_shares, 1);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < kHeadTiles; ++tile) {
        mul_tiles_bcast_cols(cb_outputs, cb_shares, tile, 0, tile);
    }
    pack_tiles(cb_result, kHeadTiles);
    cb_pop_front(cb_outputs, kHeadTiles);
    cb_pop_front(cb_shares, 1);
}

void untilize_result() {
    cb_wait_front(cb_result, kHeadTiles);
    cb_reserve_back(cb_result_rows, kHeadTiles);
    pack_untilize_init<kHeadTiles>(cb_result, cb_result_rows);
    pack_untilize_block<kHeadTiles>(cb_result, 1, cb_result_rows);
    pack_untilize_uninit(cb_result_rows);
    cb_push_back(cb_result_rows, kHeadTiles);
    cb_pop_front(cb_result, kHeadTiles);
}

}  // namespace

void kernel_main() {
    const uint32_t key_tiles = DecodeKeys::read().key_tiles;

    unary_op_init_common(cb_query_rows, cb_queries);
    tilize_queries();
    pack_reconfig_data_format(cb_scores);
    multiply(cb_queries, cb_keys, kHeadTiles, key_tiles, 1);
    add_mask(key_tiles);
    pack_tiles(cb_scores, key_tiles);
    cb_pop_front(cb_keys, kHeadTiles * key_tiles);
    reduce_rows<PoolType::MAX>(cb_scores, key_tiles, cb_largest);
    weigh(key_tiles);
    reduce_rows<PoolType::SUM>(cb_weights, key_tiles, cb_sums);
    pack_reconfig_data_format(cb_outputs);
    multiply(cb_weights, cb_values, key_tiles, kHeadTiles, 0);
    pack_tiles(cb_outputs, kHeadTiles);
    cb_pop_front(cb_values, kHeadTiles * key_tiles);
    cb_pop_front(cb_weights, key_tiles);
    reconfig_data_format(cb_largest, cb_largest);
    pack_reconfig_data_format(cb_last_largest);
    move_tile(cb_largest, cb_last_largest);
    move_tile(cb_sums, cb_last_sums);
    invert_sums();
    share_out();
    cb_wait_front(cb_last_largest, 1);
    cb_pop_front(cb_last_largest, 1);
    untilize_result();
    cb_pop_front(cb_queries, kHeadTiles);
    cb_pop_front(cb_mask, key_tiles);
    cb_pop_front(cb_ones, 1);
}
