// SPDX-License-Identifier: Apache-2.0
// Element-wise products of pairs of tiles: unpacks, multiplies and packs each pair.
#include "loop_args.hpp"

using namespace tessera::score;

void kernel_main() {
    constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
    constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const auto args = MultiplyLoopArgs::read();
    const uint32_t block = args.block;

    binary_op_init_common(cb_in0, cb_in1, cb_out);
    mul_tiles_init(cb_in0, cb_in1);
    cb_wait_front(cb_in0, block);
    cb_wait_front(cb_in1, block);
    cb_reserve_back(cb_out, block);
    DeviceZoneScopedN("loop");
    for (uint32_t i = 0; i < args.count; i += block) {
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < block; ++tile) {
            mul_tiles(cb_in0, cb_in1, tile, tile, tile);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t tile = 0; tile < block; ++tile) {
            pack_tile<true>(tile, cb_out, tile);
        }
        tile_regs_release();
    }
}
