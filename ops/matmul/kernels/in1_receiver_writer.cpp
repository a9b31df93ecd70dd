// SPDX-License-Identifier: Apache-2.0
// Takes in the blocks of in1 that another core multicasts, and writes the core's output.
#include "../../shared/kernels/block_handshake.hpp"
#include "out_blocks.hpp"

void kernel_main() {
    constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
    const BlockReceiver receiver(0);
    const uint32_t out_addr = get_arg_val<uint32_t>(4);
    const OutBlocks blocks = out_blocks_from_args(2, 5);
    const uint32_t k_tiles = get_compile_time_arg_val(0);
    const uint32_t block_h = get_compile_time_arg_val(1);
    constexpr auto out_args = TensorAccessorArgs<10>();
    const auto out = TensorAccessor(out_args, out_addr, blocks.tile_size);
    const uint32_t block_tiles = block_h * blocks.block_w;

    for (uint32_t bh = 0; bh < blocks.num_blocks_h; ++bh) {
        for (uint32_t bw = 0; bw < blocks.num_blocks_w; ++bw) {
            for (uint32_t k = 0; k < k_tiles; k += block_h) {
                cb_reserve_back(cb_in1, block_tiles);
                receiver.receive();
                cb_push_back(cb_in1, block_tiles);
            }
            if (!blocks.is_sharded) {
                write_block(out, blocks, bh, bw);
            }
        }
    }
    if (blocks.is_sharded) {
        await_shard(blocks);
    }
    noc_async_atomic_barrier();
}
