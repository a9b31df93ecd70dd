// SPDX-License-Identifier: Apache-2.0
// Reads the tiles that become this core's tiles of the output.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t input_addr = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const uint32_t rows = get_compile_time_arg_val(0);
    const uint32_t columns = get_compile_time_arg_val(1);
    constexpr uint32_t cb_input = 0;
    constexpr auto args = TensorAccessorArgs<2>();
    const auto input = TensorAccessor(args, input_addr, get_tile_size(cb_input));

    for (uint32_t tile = first; tile < first + count; ++tile) {
        // Output tiles are walked in order, so that writes are contiguous and reads jump by a
        // column of tiles.
        const uint32_t matrix = tile / (rows * columns);
        const uint32_t in_matrix = tile % (rows * columns);
        const uint32_t source = in_matrix % rows * columns + in_matrix / rows;
        cb_reserve_back(cb_input, 1);
        noc_async_read_tile(matrix * rows * columns + source, input, get_write_ptr(cb_input));
        noc_async_read_barrier();
        cb_push_back(cb_input, 1);
    }
}
