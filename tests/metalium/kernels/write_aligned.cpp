// SPDX-License-Identifier: Apache-2.0
// Writes pages of a remote circular buffer. Arguments: address, first page, pages.
#include "api/dataflow/dataflow_api.h"
#include "api/remote_circular_buffer.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    constexpr uint32_t kLocal = 16;
    static_assert(noc_index == 1);  // a writer's
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(kLocal));
    experimental::align_local_cbs_to_remote_cb<1>(31, {kLocal});
    for (uint32_t page = first; page < first + count; ++page) {
        cb_wait_front(kLocal, 1);
        noc_async_write_page(page, target, get_read_ptr(kLocal));
        noc_async_write_barrier();
        cb_pop_front(kLocal, 1);
    }
}
