// SPDX-License-Identifier: Apache-2.0
// Multiplies tiles of CBs 0 and 1 into CB 16. Arguments: output tiles, inner tiles.
#include "compute_kernel_api/matmul.h"

void kernel_main() {
    const uint32_t outputs = get_arg_val<uint32_t>(0);
    const uint32_t inner = get_arg_val<uint32_t>(1);
    mm_init(tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16);
    for (uint32_t output = 0; output < outputs; ++output) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < inner; ++k) {
            cb_wait_front(tt::CBIndex::c_0, 1);
            cb_wait_front(tt::CBIndex::c_1, 1);
            matmul_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 0, 0, 0);
            cb_pop_front(tt::CBIndex::c_0, 1);
            cb_pop_front(tt::CBIndex::c_1, 1);
        }
        tile_regs_commit();
        cb_reserve_back(tt::CBIndex::c_16, 1);
        tile_regs_wait();
        pack_tile(0, tt::CBIndex::c_16);
        tile_regs_release();
        cb_push_back(tt::CBIndex::c_16, 1);
    }
}
