// SPDX-License-Identifier: Apache-2.0
// Reads pages of a buffer into CB 0. Arguments: address, first page, number of pages.
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const auto source =
        TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(tt::CBIndex::c_0));
    for (uint32_t page = first; page < first + count; ++page) {
        cb_reserve_back(tt::CBIndex::c_0, 1);
        noc_async_read_tile(page, source, get_write_ptr(tt::CBIndex::c_0));
        noc_async_read_barrier();
        cb_push_back(tt::CBIndex::c_0, 1);
    }
}
