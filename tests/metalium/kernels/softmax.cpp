// SPDX-License-Identifier: Apache-2.0
// Softmax of the rows of tiles with 32 columns: exp, sum of the row (a tile of ones in CB 1),
// reciprocal, product. Argument: number of tiles.
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"

constexpr auto in = tt::CBIndex::c_0;
constexpr auto scaler = tt::CBIndex::c_1;
constexpr auto out = tt::CBIndex::c_16;
constexpr auto exps = tt::CBIndex::c_24;
constexpr auto inverse = tt::CBIndex::c_25;

/// Packs DST 0 to a page of `cb`, once the caller has filled it.
inline void pack_to(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(in, scaler, out);
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(in, 1);
        cb_wait_front(scaler, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(in);
        copy_tile(in, 0, 0);
        exp_tile_init();
        exp_tile(0);
        pack_to(exps);
        cb_pop_front(in, 1);

        cb_wait_front(exps, 1);
        tile_regs_acquire();
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(exps, scaler, inverse);
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(exps, scaler, 0, 0, 0);
        reduce_uninit();
        recip_tile_init();
        recip_tile(0);
        pack_to(inverse);

        cb_wait_front(inverse, 1);
        tile_regs_acquire();
        mul_bcast_cols_init_short(exps, inverse);
        mul_tiles_bcast_cols(exps, inverse, 0, 0, 0);
        pack_to(out);
        cb_pop_front(scaler, 1);
        cb_pop_front(exps, 1);
        cb_pop_front(inverse, 1);
    }
}
