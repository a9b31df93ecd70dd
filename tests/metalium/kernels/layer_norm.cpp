// SPDX-License-Identifier: Apache-2.0
// Layer norm of the rows of tiles with 32 columns: subtracts the mean, and divides by the root of
// the variance plus 1/1024. CB 1 holds tiles of 1/32. Argument: number of tiles.
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"
#include "compute_kernel_api/eltwise_unary/rsqrt.h"
#include "compute_kernel_api/reduce.h"

constexpr auto in = tt::CBIndex::c_0;
constexpr auto scaler = tt::CBIndex::c_1;
constexpr auto out = tt::CBIndex::c_16;
constexpr auto per_row = tt::CBIndex::c_24;
constexpr auto centred = tt::CBIndex::c_25;
constexpr uint32_t epsilon = 0x3A800000;  // 1/1024

/// Packs DST 0 to a page of `cb`, once the caller has filled it.
inline void pack_to(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

/// Leaves the mean of each row of `cb` in column 0 of DST 0.
inline void average_rows(uint32_t cb) {
    tile_regs_acquire();
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb, scaler, per_row);
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb, scaler, 0, 0, 0);
    reduce_uninit();
}

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(in, scaler, out);
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(in, 1);
        cb_wait_front(scaler, 1);
        average_rows(in);
        pack_to(per_row);

        cb_wait_front(per_row, 1);
        tile_regs_acquire();
        sub_bcast_cols_init_short(in, per_row);
        sub_tiles_bcast_cols(in, per_row, 0, 0, 0);
        pack_to(centred);
        cb_pop_front(in, 1);
        cb_pop_front(per_row, 1);

        cb_wait_front(centred, 1);
        tile_regs_acquire();
        mul_tiles_init(centred, centred);
        mul_tiles(centred, centred, 0, 0, 0);
        pack_to(per_row);

        cb_wait_front(per_row, 1);
        average_rows(per_row);
        binop_with_scalar_tile_init();
        add_unary_tile(0, epsilon);
        rsqrt_tile_init();
        rsqrt_tile(0);
        cb_pop_front(per_row, 1);
        pack_to(per_row);

        cb_wait_front(per_row, 1);
        tile_regs_acquire();
        mul_bcast_cols_init_short(centred, per_row);
        mul_tiles_bcast_cols(centred, per_row, 0, 0, 0);
        pack_to(out);
        cb_pop_front(scaler, 1);
        cb_pop_front(centred, 1);
        cb_pop_front(per_row, 1);
    }
}
