// SPDX-License-Identifier: Apache-2.0
// For each output tile of this core: the row of input tiles and the column of weight tiles.
#include "args.hpp"
#include "dataflow_api.h"
#include "tile_places.hpp"

using namespace tessera::ops;
using namespace tessera::ops::my_bmm;

void kernel_main() {
    constexpr uint32_t cb_input = index_of(Cb::Input);
    constexpr uint32_t cb_weights = index_of(Cb::Weights);
    constexpr uint32_t first_arg = ReaderTensors::Addresses::kCount;
    const uint32_t input_addr = ReaderTensors::input_address();
    const uint32_t weights_addr = ReaderTensors::weights_address();
    const auto range = ReaderRange::read(first_arg);
    const uint32_t k_tiles = range.k_tiles;
    const TilePlaces places(first_arg + ReaderRange::kCount);
    const auto input = TensorAccessor(ReaderTensors::input(), input_addr, get_tile_size(cb_input));
    const auto weights =
        TensorAccessor(ReaderTensors::weights(), weights_addr, get_tile_size(cb_weights));

    for (uint32_t i = 0; i < range.num_tiles; ++i) {
        const TilePlace place = places[range.first_tile + i * places.num_cores()];
        for (uint32_t k = 0; k < k_tiles; ++k) {
            cb_reserve_back(cb_input, 1);
            cb_reserve_back(cb_weights, 1);
            noc_async_read_tile((place.expert * places.rows() + place.row) * k_tiles + k, input,
                                get_write_ptr(cb_input));
            noc_async_read_tile((place.expert * k_tiles + k) * places.columns() + place.column,
                                weights, get_write_ptr(cb_weights));
            noc_async_read_barrier();
            cb_push_back(cb_input, 1);
            cb_push_back(cb_weights, 1);
        }
    }
}
