// SPDX-License-Identifier: Apache-2.0
// Writes each output tile to its place.
#include "dataflow_api.h"
#include "tile_places.hpp"

void kernel_main() {
    const uint32_t output_addr = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const TilePlaces places(3);
    constexpr auto output_args = TensorAccessorArgs<0>();
    const auto output = TensorAccessor(output_args, output_addr, get_tile_size(16));

    for (uint32_t i = 0; i < count; ++i) {
        const TilePlace place = places[first + i * places.num_cores()];
        cb_wait_front(16, 1);
        noc_async_write_tile(
            (place.expert * places.rows() + place.row) * places.columns() + place.column, output,
            get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
