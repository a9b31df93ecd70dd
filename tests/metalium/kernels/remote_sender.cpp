// SPDX-License-Identifier: Apache-2.0
// Reads blocks of two pages and sends each receiver its columns. Arguments: address, blocks.
#include "api/dataflow/dataflow_api.h"
#include "api/remote_circular_buffer.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    constexpr uint32_t kLocal = 0;
    constexpr uint32_t kRemote = 31;
    static_assert(noc_index == 0);  // a reader's
    sync_threads();
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    const uint32_t page = get_tile_size(kLocal);
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), page);
    experimental::resize_remote_sender_cb_interface<true>(kRemote, page, noc_index);
    for (uint32_t block = 0; block < blocks; ++block) {
        cb_reserve_back(kLocal, 2);
        const uint32_t address = get_write_ptr(kLocal);
        noc_async_read_page(2 * block, source, address);
        noc_async_read_page(2 * block + 1, source, address + page);
        noc_async_read_barrier();
        experimental::remote_cb_reserve_back(kRemote, 1);
        experimental::remote_cb_push_back_and_write_pages<false>(kRemote, address, 1, 2, 1,
                                                                 page / 2);
        noc_async_write_barrier();
        cb_push_back(kLocal, 2);
        cb_wait_front(kLocal, 2);
        cb_pop_front(kLocal, 2);
    }
    experimental::remote_cb_sender_barrier(kRemote);
    experimental::update_remote_cb_config_in_l1(kRemote);
    noc_async_atomic_barrier();
}
