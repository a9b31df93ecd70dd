// SPDX-License-Identifier: Apache-2.0
// Reads tiles of a and b. Arguments: addresses of a and b, first tile, number of tiles.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const uint32_t bytes = get_tile_size(tt::CBIndex::c_0);
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), bytes);
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), bytes);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    for (uint32_t tile = first; tile < first + count; ++tile) {
        cb_reserve_back(tt::CBIndex::c_0, 1);
        cb_reserve_back(tt::CBIndex::c_1, 1);
        noc_async_read_page(tile, a, get_write_ptr(tt::CBIndex::c_0));
        noc_async_read_page(tile, b, get_write_ptr(tt::CBIndex::c_1));
        noc_async_read_barrier();
        cb_push_back(tt::CBIndex::c_0, 1);
        cb_push_back(tt::CBIndex::c_1, 1);
    }
}
