// SPDX-License-Identifier: Apache-2.0
// Reads blocks of A into CB 0, and of B into CB 1. With MULTICAST the first core of a row reads A
// and sends each block to the others once all have room for it. Arguments: addresses of A and B,
// block row, block column, blocks of K, tiles in a row of A and of B; then semaphores, the sender,
// the rectangle of receivers and their number.
#include "block_places.hpp"
#include "dataflow_api.h"

constexpr auto left = tt::CBIndex::c_0;
constexpr auto right = tt::CBIndex::c_1;

#ifdef MULTICAST
struct Row {
    uint32_t ready = get_semaphore(get_arg_val<uint32_t>(7));
    uint32_t sent = get_semaphore(get_arg_val<uint32_t>(8));
    volatile tt_l1_ptr uint32_t* ready_word = (volatile tt_l1_ptr uint32_t*)ready;
    volatile tt_l1_ptr uint32_t* sent_word = (volatile tt_l1_ptr uint32_t*)sent;
    uint32_t num_receivers = get_arg_val<uint32_t>(15);

    uint64_t receivers(uint32_t address) const {
        return get_noc_multicast_addr(get_arg_val<uint32_t>(11), get_arg_val<uint32_t>(12),
                                      get_arg_val<uint32_t>(13), get_arg_val<uint32_t>(14),
                                      address);
    }
    void send() const {
        noc_semaphore_wait(ready_word, num_receivers);
        noc_semaphore_set(ready_word, 0);
        const uint32_t block = get_write_ptr(left);
        noc_async_write_multicast(block, receivers(block), kBlockTiles * get_tile_size(left),
                                  num_receivers);
        noc_async_writes_flushed();
        noc_semaphore_set(sent_word, 1);
        noc_semaphore_set_multicast(sent, receivers(sent), num_receivers);
        noc_async_write_barrier();
    }
    void receive() const {
        cb_reserve_back(left, kBlockTiles);
        noc_semaphore_set(sent_word, 0);
        noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(9), get_arg_val<uint32_t>(10), ready),
                          1);
        noc_semaphore_wait(sent_word, 1);
        noc_async_atomic_barrier();
    }
};
#endif

void kernel_main() {
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(left));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(right));
    const uint32_t block_row = get_arg_val<uint32_t>(2);
    const uint32_t block_column = get_arg_val<uint32_t>(3);
    for (uint32_t block = 0; block < get_arg_val<uint32_t>(4); ++block) {
        read_block(right, b, block, block_column, get_arg_val<uint32_t>(6));
        cb_push_back(right, kBlockTiles);
#ifdef MULTICAST
        const Row row;
        if (block_column != 0) {
            row.receive();
            cb_push_back(left, kBlockTiles);
            continue;
        }
#endif
        read_block(left, a, block_row, block, get_arg_val<uint32_t>(5));
#ifdef MULTICAST
        row.send();
#endif
        cb_push_back(left, kBlockTiles);
    }
}
