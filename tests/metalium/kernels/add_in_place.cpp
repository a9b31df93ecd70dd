// SPDX-License-Identifier: Apache-2.0
// Adds the tiles of two shards, which CBs 0 and 1 are placed over, to the shard below CB 16.
// Argument: tiles of a shard.
#include "compute_kernel_api/eltwise_binary.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    binary_op_init_common(tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16);
    add_tiles_init(tt::CBIndex::c_0, tt::CBIndex::c_1);
    for (const auto cb : {tt::CBIndex::c_0, tt::CBIndex::c_1}) {
        cb_reserve_back(cb, count);
        cb_push_back(cb, count);
        cb_wait_front(cb, count);
    }
    cb_reserve_back(tt::CBIndex::c_16, count);
    for (uint32_t tile = 0; tile < count; ++tile) {
        tile_regs_acquire();
        add_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, tile, tile, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, tt::CBIndex::c_16);
        tile_regs_release();
    }
    cb_push_back(tt::CBIndex::c_16, count);
}
