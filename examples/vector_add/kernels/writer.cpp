// SPDX-License-Identifier: Apache-2.0
// Writes tiles of the sum. Arguments: address, first tile, number of tiles.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto sum =
        TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(tt::CBIndex::c_16));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    for (uint32_t tile = first; tile < first + count; ++tile) {
        cb_wait_front(tt::CBIndex::c_16, 1);
        noc_async_write_page(tile, sum, get_read_ptr(tt::CBIndex::c_16));
        noc_async_write_barrier();
        cb_pop_front(tt::CBIndex::c_16, 1);
    }
}
