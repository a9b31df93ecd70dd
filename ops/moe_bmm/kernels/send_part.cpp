// SPDX-License-Identifier: Apache-2.0
// Sends this core's sums of each block to the core that adds them, when that one has place.
#include "../../shared/valid_tiles/kernels/core_share.hpp"

namespace {

constexpr uint32_t cb_counts = tt::CBIndex::c_3;
constexpr uint32_t cb_blocks = tt::CBIndex::c_5;
constexpr uint32_t cb_part = tt::CBIndex::c_7;
constexpr uint32_t cb_arrived = tt::CBIndex::c_8;

volatile tt_l1_ptr uint32_t* word_at(uint32_t l1_addr) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
}

}  // namespace

void kernel_main() {
    const uint32_t counts_addr = get_arg_val<uint32_t>(0);
    const uint32_t adder_x = get_arg_val<uint32_t>(4);
    const uint32_t adder_y = get_arg_val<uint32_t>(5);
    const uint32_t part = get_arg_val<uint32_t>(6);  // from 1
    const uint32_t num_experts = get_compile_time_arg_val(0);
    const uint32_t counts_stride = get_compile_time_arg_val(1);
    const BlockShape block{get_compile_time_arg_val(2), get_compile_time_arg_val(3),
                           get_compile_time_arg_val(4)};
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(5));
    const uint32_t arrived = get_semaphore(get_compile_time_arg_val(6));
    constexpr auto counts_args = TensorAccessorArgs<7>();
    const TokenCounts counts =
        read_counts(TensorAccessor(counts_args, counts_addr, sizeof(uint32_t)),
                    get_write_ptr(cb_counts), counts_stride, num_experts);
    // The same share as the reader's, from the same counts.
    const uint32_t num_blocks = share_of_blocks(core_of_args(1), count_blocks(counts, block)).count;

    const uint32_t block_tiles = block.height * block.width;
    const uint32_t bytes = block_tiles * get_tile_size(cb_part);
    // A circular buffer lies at the same address on all its cores; one block's parts fill this one.
    const uint32_t place = get_write_ptr(cb_arrived) + (part - 1) * bytes;
    for (uint32_t i = 0; i < num_blocks; ++i) {
        // The announcement is dropped: how many sums follow is known, and a block of this part has
        // a fixed size.
        cb_wait_front(cb_blocks, 1);
        cb_pop_front(cb_blocks, 1);
        cb_wait_front(cb_part, block_tiles);
        // The adder asks for each block, so that its place is free.
        noc_semaphore_wait(word_at(ready), 1);
        noc_semaphore_set(word_at(ready), 0);
        noc_async_write(get_read_ptr(cb_part), get_noc_addr(adder_x, adder_y, place), bytes);
        noc_async_write_barrier();  // the sums are there before they are counted
        noc_semaphore_inc(get_noc_addr(adder_x, adder_y, arrived), 1);
        cb_pop_front(cb_part, block_tiles);
    }
    noc_async_atomic_barrier();
}
