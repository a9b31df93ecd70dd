// SPDX-License-Identifier: Apache-2.0
// Computes gelu of a tile plus the first row of another; the sum stays in DST.
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_unary/gelu.h"

namespace NAMESPACE {

void MAIN {
    const uint32_t count = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_bias = 1;
    constexpr uint32_t cb_y = 16;
    init_bcast<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(cb_x, cb_bias, cb_y);
    gelu_tile_init();

    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(cb_x, 1);
        cb_wait_front(cb_bias, 1);
        tile_regs_acquire();
        add_tiles_bcast_rows(cb_x, cb_bias, 0, 0, 0);
        gelu_tile(0);
        tile_regs_commit();
        cb_pop_front(cb_x, 1);
        cb_pop_front(cb_bias, 1);

        cb_reserve_back(cb_y, 1);
        tile_regs_wait();
        pack_tile(0, cb_y);
        tile_regs_release();
        cb_push_back(cb_y, 1);
    }
}

}  // namespace NAMESPACE
