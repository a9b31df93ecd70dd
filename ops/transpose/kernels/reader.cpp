// SPDX-License-Identifier: Apache-2.0
// Reads the tiles that become this core's tiles of the output.
#include "args.hpp"
#include "dataflow_api.h"

using namespace tessera::ops;
using namespace tessera::ops::scale;

void kernel_main() {
    const uint32_t input_address = ReaderTensors::input_address();
    const auto range = TileRange::read(ReaderTensors::Addresses::kCount);
    const auto args = transpose::MatrixArgs::read();
    const uint32_t rows = args.row_tiles;
    const uint32_t columns = args.column_tiles;
    constexpr uint32_t cb_input = index_of(Cb::Input);
    const auto input =
        TensorAccessor(ReaderTensors::input(), input_address, get_tile_size(cb_input));

    for (uint32_t tile = range.first_tile; tile < range.first_tile + range.num_tiles; ++tile) {
        // Output tiles are processed in order, so writes are contiguous and the distance of reads
        // is a column of tiles.
        const uint32_t matrix = tile / (rows * columns);
        const uint32_t in_matrix = tile % (rows * columns);
        const uint32_t source = in_matrix % rows * columns + in_matrix / rows;
        cb_reserve_back(cb_input, 1);
        noc_async_read_tile(matrix * rows * columns + source, input, get_write_ptr(cb_input));
        noc_async_read_barrier();
        cb_push_back(cb_input, 1);
    }
}
