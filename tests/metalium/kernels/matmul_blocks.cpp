// SPDX-License-Identifier: Apache-2.0
// Multiplies blocks of 2 × 2 tiles of CBs 0 and 1 into CB 16; DST keeps the four sums. Argument:
// blocks of the inner dimension.
#include "compute_kernel_api/matmul.h"

constexpr auto left = tt::CBIndex::c_0;
constexpr auto right = tt::CBIndex::c_1;
constexpr auto out = tt::CBIndex::c_16;
constexpr uint32_t side = 2;
constexpr uint32_t tiles = side * side;

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0);
    mm_block_init(left, right, out, 0, side, side, side);
    tile_regs_acquire();
    for (uint32_t block = 0; block < blocks; ++block) {
        cb_wait_front(left, tiles);
        cb_wait_front(right, tiles);
        for (uint32_t k = 0; k < side; ++k) {
            matmul_block(left, right, k, k * side, 0, false, side, side, side);
        }
        cb_pop_front(left, tiles);
        cb_pop_front(right, tiles);
    }
    tile_regs_commit();
    cb_reserve_back(out, tiles);
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        pack_tile(tile, out);
    }
    tile_regs_release();
    cb_push_back(out, tiles);
}
