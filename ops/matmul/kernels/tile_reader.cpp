// SPDX-License-Identifier: Apache-2.0
// Reads the row of in0 and the column of in1 of each output tile of this core, a tile at a time.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::matmul;

template <class Accessor>
void read_tile(const Accessor& tensor, uint32_t cb, uint32_t tile) {
    cb_reserve_back(cb, 1);
    noc_async_read_page(tile, tensor, get_write_ptr(cb));
    // A barrier per tile exposes DRAM's latency. The schedule is tt-metal's example, unchanged; the
    // schedules of blocks hide the latency.
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_in0 = index_of(Cb::In0);
    constexpr uint32_t cb_in1 = index_of(Cb::In1);
    const auto addresses = TileReaderTensors::Addresses::read();
    const auto range = TileRange::read(TileReaderTensors::Addresses::kCount);
    const auto args = TileReaderArgs::read();
    const auto in0 = TensorAccessor(TileReaderTensors::in0(), addresses.in0, get_tile_size(cb_in0));
    const auto in1 = TensorAccessor(TileReaderTensors::in1(), addresses.in1, get_tile_size(cb_in1));

    for (uint32_t tile = range.first_tile; tile < range.first_tile + range.num_tiles; ++tile) {
        // A core's tiles are consecutive in row-major order, so most of them use the same row of
        // in0.
        const uint32_t row = tile / args.n_tiles;
        const uint32_t column = tile % args.n_tiles;
        for (uint32_t k = 0; k < args.k_tiles; ++k) {
            read_tile(in0, cb_in0, row * args.k_tiles + k);
            read_tile(in1, cb_in1, k * args.n_tiles + column);
        }
    }
}
