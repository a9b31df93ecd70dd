// SPDX-License-Identifier: Apache-2.0
// Adds each tile to itself.
#include "compute_kernel_api/eltwise_binary.h"
void kernel_main() {  // y = x + x
    const uint32_t count = get_arg_val<uint32_t>(0);
    binary_op_init_common(0, 0, 16);
    add_tiles_init(0, 0);
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        add_tiles(0, 0, 0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
