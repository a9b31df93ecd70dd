// SPDX-License-Identifier: Apache-2.0
// Steps of a norm's compute kernels.
#pragma once

#include "norm_cbs.hpp"

namespace norm {

inline void pack_tiles(uint32_t cb, uint32_t tiles) {
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
}

inline void arm_sum(uint32_t cb, uint32_t scaler, uint32_t to) {
    reconfig_data_format(cb, scaler);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb, scaler, to);
}

inline void add_to_sum(uint32_t cb, uint32_t scaler, uint32_t tile) {
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb, scaler, tile, 0, 0);
}

// Computes 1/√(mean square + ε).
inline void find_scale(uint32_t mean_square) {
    cb_wait_front(mean_square, 1);
    cb_wait_front(cb_epsilon, 1);
    cb_reserve_back(cb_scale, 1);
    tile_regs_acquire();
    add_tiles_init(mean_square, cb_epsilon);
    add_tiles(mean_square, cb_epsilon, 0, 0, 0);
    rsqrt_tile_init<false>();
    rsqrt_tile<false>(0);
    pack_tiles(cb_scale, 1);
    cb_push_back(cb_scale, 1);
}

// Multiplies the shard by the scale; each row's scale is in the first column of its tile.
inline void scale_tiles(uint32_t tiles, uint32_t subblock) {
    reconfig_data_format(cb_in, cb_global);
    mul_bcast_cols_init_short(cb_in, cb_global);
    cb_reserve_back(cb_work, tiles);
    cb_wait_front(cb_global, 1);
    for (uint32_t tile = 0; tile < tiles; tile += subblock) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < subblock; ++i) {
            mul_tiles_bcast_cols(cb_in, cb_global, tile + i, 0, i);
        }
        pack_tiles(cb_work, subblock);
    }
    cb_pop_front(cb_global, 1);
    cb_push_back(cb_work, tiles);
}

inline void weight_tiles(uint32_t tiles, uint32_t subblock) {
    cb_wait_front(cb_work, tiles);
    reconfig_data_format(cb_work, cb_gamma);
    pack_reconfig_data_format(cb_out);
    mul_bcast_rows_init_short(cb_work, cb_gamma);
    cb_wait_front(cb_gamma, tiles);
    cb_reserve_back(cb_out, tiles);
    for (uint32_t tile = 0; tile < tiles; tile += subblock) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < subblock; ++i) {
            mul_tiles_bcast_rows(cb_work, cb_gamma, tile + i, tile + i, i);
        }
        pack_tiles(cb_out, subblock);
        cb_push_back(cb_out, subblock);
    }
    cb_pop_front(cb_work, tiles);
}

}  // namespace norm
