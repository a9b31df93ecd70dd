// SPDX-License-Identifier: Apache-2.0
// Sends this core's sums of each block to the core that adds them, when that one has room.
#include "../../shared/valid_tiles/kernels/core_share.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops::moe_bmm;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t cb_blocks = index_of(Cb::WriterBlocks);
constexpr uint32_t cb_part = index_of(Cb::Part);
constexpr uint32_t cb_arrived = index_of(Cb::Arrived);
constexpr uint32_t kCoreArgs = SenderTensors::Addresses::kCount;
constexpr uint32_t kAdderArgs = kCoreArgs + CoreOfGrid::kCount;

volatile tt_l1_ptr uint32_t* word_at(uint32_t l1_addr) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
}

}  // namespace

void kernel_main() {
    const uint32_t counts_addr = SenderTensors::counts_address();
    const auto adder = AdderCore::read(kAdderArgs);
    const auto tiles = TileArgs::read();
    const uint32_t stride = CountArgs::read().counts_stride;
    const auto shape = BlockArgs::read();
    const BlockShape block{tiles.column_tiles, shape.block_height, shape.block_width};
    const auto semaphores = SenderArgs::read();
    const uint32_t ready = get_semaphore(semaphores.ready_semaphore);
    const uint32_t arrived = get_semaphore(semaphores.arrived_semaphore);
    const TokenCounts counts =
        read_counts(TensorAccessor(SenderTensors::counts(), counts_addr, sizeof(uint32_t)),
                    Cb::WriterCounts, stride, tiles.num_experts);
    // The same share as the reader's, from the same counts.
    const uint32_t num_blocks =
        share_of_blocks(CoreOfGrid::read(kCoreArgs), count_blocks(counts, block)).count;

    const uint32_t block_tiles = block.height * block.width;
    const uint32_t bytes = block_tiles * get_tile_size(cb_part);
    // A circular buffer has the same address on all its cores; one block's parts fill this one.
    const uint32_t place = get_write_ptr(cb_arrived) + (adder.part - 1) * bytes;
    for (uint32_t i = 0; i < num_blocks; ++i) {
        // The announcement is dropped: how many sums follow is known, and a block of this part has
        // a fixed size.
        cb_wait_front(cb_blocks, 1);
        cb_pop_front(cb_blocks, 1);
        cb_wait_front(cb_part, block_tiles);
        // The adder asks for each block, so that its place is free.
        noc_semaphore_wait(word_at(ready), 1);
        noc_semaphore_set(word_at(ready), 0);
        noc_async_write(get_read_ptr(cb_part), get_noc_addr(adder.x, adder.y, place), bytes);
        noc_async_write_barrier();  // the sums are there before they are counted
        noc_semaphore_inc(get_noc_addr(adder.x, adder.y, arrived), 1);
        cb_pop_front(cb_part, block_tiles);
    }
    noc_async_atomic_barrier();
}
