// SPDX-License-Identifier: Apache-2.0
// Sums one output tile over all of K in DST.
#include "compute_kernel_api/matmul.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    const uint32_t k_tiles = get_arg_val<uint32_t>(1);
    mm_init(0, 1, 16);

    for (uint32_t tile = 0; tile < count; ++tile) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < k_tiles; ++k) {
            cb_wait_front(0, 1);
            cb_wait_front(1, 1);
            matmul_tiles(0, 1, 0, 0, 0);
            cb_pop_front(0, 1);
            cb_pop_front(1, 1);
        }
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
