// SPDX-License-Identifier: Apache-2.0
// Writes this core's tiles as they arrive.
#include "args.hpp"
#include "dataflow_api.h"

using namespace tessera::ops;
using namespace tessera::ops::scale;

void kernel_main() {
    const uint32_t output_address = WriterTensors::output_address();
    const auto range = TileRange::read(WriterTensors::Addresses::kCount);
    constexpr uint32_t cb_output = index_of(Cb::Output);
    const auto output =
        TensorAccessor(WriterTensors::output(), output_address, get_tile_size(cb_output));

    for (uint32_t tile = range.first_tile; tile < range.first_tile + range.num_tiles; ++tile) {
        cb_wait_front(cb_output, 1);
        noc_async_write_tile(tile, output, get_read_ptr(cb_output));
        // The simplest safe form: the page is popped when its data has arrived. Ops with longer
        // loops flush here and wait once at the end.
        noc_async_write_barrier();
        cb_pop_front(cb_output, 1);
    }
}
