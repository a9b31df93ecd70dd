// SPDX-License-Identifier: Apache-2.0
// The pages of this core's shard, and their places in the other tensor.
#pragma once

#include "args.hpp"
#include "dataflow_api.h"

// Calls `move(page, remote, l1_addr)` for each page that this kernel moves, row by row.
template <class Move>
inline void move_shard_pages(Move move) {
    using namespace tessera::ops::reshard;
    const uint32_t remote_address = RemoteTensors::remote_address();
    const auto range = ShardRange::read(RemoteTensors::Addresses::kCount);
    const auto args = ShardArgs::read();
    const auto remote = TensorAccessor(RemoteTensors::remote(), remote_address, args.page_size);

    for (uint32_t i = range.begin; i < range.end; ++i) {
        const uint32_t row = i / range.num_columns;
        const uint32_t column = i % range.num_columns;
        move(range.first_page + row * args.tensor_columns + column, remote,
             range.shard_address + (row * args.shard_columns + column) * args.page_stride);
    }
}
