// SPDX-License-Identifier: Apache-2.0
// For each output tile of this core: the row of input tiles and the column of weight tiles.
#include "dataflow_api.h"
#include "tile_places.hpp"

void kernel_main() {
    const uint32_t input_addr = get_arg_val<uint32_t>(0);
    const uint32_t weights_addr = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    const uint32_t k_tiles = get_arg_val<uint32_t>(4);
    const TilePlaces places(5);
    constexpr auto input_args = TensorAccessorArgs<0>();
    constexpr auto weights_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
    const auto input = TensorAccessor(input_args, input_addr, get_tile_size(0));
    const auto weights = TensorAccessor(weights_args, weights_addr, get_tile_size(1));

    for (uint32_t i = 0; i < count; ++i) {
        const TilePlace place = places[first + i * places.num_cores()];
        for (uint32_t k = 0; k < k_tiles; ++k) {
            cb_reserve_back(0, 1);
            cb_reserve_back(1, 1);
            noc_async_read_tile((place.expert * places.rows() + place.row) * k_tiles + k, input,
                                get_write_ptr(0));
            noc_async_read_tile((place.expert * k_tiles + k) * places.columns() + place.column,
                                weights, get_write_ptr(1));
            noc_async_read_barrier();
            cb_push_back(0, 1);
            cb_push_back(1, 1);
        }
    }
}
