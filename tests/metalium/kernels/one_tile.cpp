// SPDX-License-Identifier: Apache-2.0
// Applies OPERATION to tiles of CB 0, into CB 16: 0 transpose, 1 sum of rows (scaler in CB 1), 2
// exp of the negative. Argument: number of tiles.
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/negative.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/transpose_wh.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    if constexpr (OPERATION == 0) {
        transpose_wh_init(tt::CBIndex::c_0, tt::CBIndex::c_16);
    } else if constexpr (OPERATION == 1) {
        compute_kernel_hw_startup(tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16);
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(tt::CBIndex::c_0, tt::CBIndex::c_1,
                                                          tt::CBIndex::c_16);
        cb_wait_front(tt::CBIndex::c_1, 1);
    } else {
        init_sfpu(tt::CBIndex::c_0, tt::CBIndex::c_16);
    }
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(tt::CBIndex::c_0, 1);
        tile_regs_acquire();
        if constexpr (OPERATION == 0) {
            transpose_wh_tile(tt::CBIndex::c_0, 0, 0);
        } else if constexpr (OPERATION == 1) {
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(tt::CBIndex::c_0, tt::CBIndex::c_1, 0,
                                                              0, 0);
        } else {
            copy_tile(tt::CBIndex::c_0, 0, 0);
            negative_tile_init();
            negative_tile(0);
            exp_tile_init();
            exp_tile(0);
        }
        tile_regs_commit();
        cb_pop_front(tt::CBIndex::c_0, 1);
        cb_reserve_back(tt::CBIndex::c_16, 1);
        tile_regs_wait();
        pack_tile(0, tt::CBIndex::c_16);
        tile_regs_release();
        cb_push_back(tt::CBIndex::c_16, 1);
    }
}
