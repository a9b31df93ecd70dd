// SPDX-License-Identifier: Apache-2.0
// Takes in the blocks of in1 that another core multicasts, and writes the core's output.
#include "../../shared/kernels/block_handshake.hpp"
#include "args.hpp"
#include "out_blocks.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::matmul;
    constexpr uint32_t cb_in1 = index_of(Cb::In1);
    const BlockReceiver receiver;
    const auto addresses = OutTensors::Addresses::read(BlockReceiverArgs::kCount);
    const OutBlocks blocks =
        read_out_blocks(BlockReceiverArgs::kCount + OutTensors::Addresses::kCount);
    const auto args = In1Args::read();
    const auto out = TensorAccessor(OutTensors::out(), addresses.out, blocks.tile_size);
    const uint32_t block_tiles = args.block_k * blocks.block_w;

    for (uint32_t bh = 0; bh < blocks.num_blocks_h; ++bh) {
        for (uint32_t bw = 0; bw < blocks.num_blocks_w; ++bw) {
            for (uint32_t k = 0; k < args.k_tiles; k += args.block_k) {
                cb_reserve_back(cb_in1, block_tiles);
                receiver.receive();
                cb_push_back(cb_in1, block_tiles);
            }
            // The output is written between two passes over K. This delays the next pass, but RISC
            // 1 is busy with in0 and there is no third RISC for data.
            if (!blocks.is_sharded) {
                write_block(out, blocks, bh, bw);
            }
        }
    }
    // Compute packs into the shard; the launch must not end before its last tile.
    if (blocks.is_sharded) {
        await_shard(blocks);
    }
    noc_async_atomic_barrier();
}
