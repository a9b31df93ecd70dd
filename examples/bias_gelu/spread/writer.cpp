// SPDX-License-Identifier: Apache-2.0
// Writes tiles of y as they arrive.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t y_addr = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_y = 16;
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, y_addr, get_tile_size(cb_y));

    // Neighbouring cores start at different tiles of their share, and therefore at different banks.
    const uint32_t start = get_absolute_logical_x();
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t tile = first + (start + i) % count;
        cb_wait_front(cb_y, 1);
        noc_async_write_tile(tile, y, get_read_ptr(cb_y));
        noc_async_write_barrier();
        cb_pop_front(cb_y, 1);
    }
}
