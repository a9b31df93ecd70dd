// SPDX-License-Identifier: Apache-2.0
// Writes this core's tiles as they come.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t output_addr = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_output = 16;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(args, output_addr, get_tile_size(cb_output));

    for (uint32_t tile = first; tile < first + count; ++tile) {
        cb_wait_front(cb_output, 1);
        noc_async_write_tile(tile, output, get_read_ptr(cb_output));
        // The simplest safe form: the page is given back when its data has arrived. Ops with longer
        // loops flush here and wait once at the end.
        noc_async_write_barrier();
        cb_pop_front(cb_output, 1);
    }
}
