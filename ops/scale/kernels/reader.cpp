// SPDX-License-Identifier: Apache-2.0
// Reads this core's tiles in order.
#include "args.hpp"
#include "dataflow_api.h"

using namespace tessera::ops;
using namespace tessera::ops::scale;

void kernel_main() {
    const uint32_t input_address = ReaderTensors::input_address();
    const auto range = TileRange::read(ReaderTensors::Addresses::kCount);
    constexpr uint32_t cb_input = index_of(Cb::Input);
    const auto input =
        TensorAccessor(ReaderTensors::input(), input_address, get_tile_size(cb_input));

    for (uint32_t tile = range.first_tile; tile < range.first_tile + range.num_tiles; ++tile) {
        // Blocks while compute is slower; with two pages one is read while the other is computed.
        cb_reserve_back(cb_input, 1);
        noc_async_read_tile(tile, input, get_write_ptr(cb_input));
        // The read must have landed before the page is announced.
        noc_async_read_barrier();
        cb_push_back(cb_input, 1);
    }
}
