// SPDX-License-Identifier: Apache-2.0
// Reads each tile of x, and the tile of bias above its column.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t x_addr = get_arg_val<uint32_t>(0);
    const uint32_t bias_addr = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t columns = get_arg_val<uint32_t>(4);
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_bias = 1;
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto bias_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, x_addr, get_tile_size(cb_x));
    const auto bias = TensorAccessor(bias_args, bias_addr, get_tile_size(cb_bias));

    // Neighbouring cores start at different tiles of their share, and therefore at different banks.
    const uint32_t start = get_absolute_logical_x();
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t tile = first + (start + i) % count;
        cb_reserve_back(cb_x, 1);
        cb_reserve_back(cb_bias, 1);
        noc_async_read_tile(tile, x, get_write_ptr(cb_x));
        noc_async_read_tile(tile % columns, bias, get_write_ptr(cb_bias));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
        cb_push_back(cb_bias, 1);
    }
}
