// SPDX-License-Identifier: Apache-2.0
// Writes each output tile to its place.
#include "args.hpp"
#include "dataflow_api.h"
#include "tile_places.hpp"

using namespace tessera::ops;
using namespace tessera::ops::my_bmm;

void kernel_main() {
    constexpr uint32_t cb_output = index_of(Cb::Output);
    constexpr uint32_t first_arg = WriterTensors::Addresses::kCount;
    const uint32_t output_addr = WriterTensors::output_address();
    const auto range = WriterRange::read(first_arg);
    const TilePlaces places(first_arg + WriterRange::kCount);
    const auto output =
        TensorAccessor(WriterTensors::output(), output_addr, get_tile_size(cb_output));

    for (uint32_t i = 0; i < range.num_tiles; ++i) {
        const TilePlace place = places[range.first_tile + i * places.num_cores()];
        cb_wait_front(cb_output, 1);
        noc_async_write_tile(
            (place.expert * places.rows() + place.row) * places.columns() + place.column, output,
            get_read_ptr(cb_output));
        noc_async_write_barrier();
        cb_pop_front(cb_output, 1);
    }
}
