// SPDX-License-Identifier: Apache-2.0
// Reads this core's tiles in order.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t input_addr = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_input = 0;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto input = TensorAccessor(args, input_addr, get_tile_size(cb_input));

    for (uint32_t tile = first; tile < first + count; ++tile) {
        // Blocks while compute is behind; with two pages one is read while the other is computed.
        cb_reserve_back(cb_input, 1);
        noc_async_read_tile(tile, input, get_write_ptr(cb_input));
        // The read must have landed before the page is announced.
        noc_async_read_barrier();
        cb_push_back(cb_input, 1);
    }
}
