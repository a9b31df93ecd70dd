// SPDX-License-Identifier: Apache-2.0
// The reader that README.md's program leaves as an exercise: reads the tiles of x in order.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(0));

    for (uint32_t tile = first; tile < first + count; ++tile) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(tile, x, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
