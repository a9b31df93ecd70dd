// SPDX-License-Identifier: Apache-2.0
// Writes pages of CB FROM to a buffer. Arguments: address, first page, number of pages.
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(FROM));
    for (uint32_t page = first; page < first + count; ++page) {
        cb_wait_front(FROM, 1);
        noc_async_write_tile(page, target, get_read_ptr(FROM));
        noc_async_write_barrier();
        cb_pop_front(FROM, 1);
    }
}
