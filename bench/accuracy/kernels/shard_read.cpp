// SPDX-License-Identifier: Apache-2.0
// Reads a block of an interleaved tensor's pages into a shard, row by row, with a barrier after
// every `per_barrier` reads.
#include "burst_args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = ShardReadArgs::read();
    const auto tensor =
        TensorAccessor(ShardReadTensors::tensor(), ShardReadTensors::tensor_address());
    const auto place = ShardReadPlace::read(ShardReadTensors::Addresses::kCount);
    uint32_t landing = place.landing;

    uint32_t since_barrier = 0;
    for (uint32_t row = 0; row < args.rows; ++row) {
        for (uint32_t column = 0; column < args.columns; ++column) {
            noc_async_read_page(place.first + row * args.tensor_columns + column, tensor, landing);
            landing += tensor.get_aligned_page_size();
            if (++since_barrier == args.per_barrier) {
                noc_async_read_barrier();
                since_barrier = 0;
            }
        }
    }
    noc_async_read_barrier();
}
