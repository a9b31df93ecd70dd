// SPDX-License-Identifier: Apache-2.0
// Tensors whose columns are distributed over the L1 of a program's cores, and CBs over these
// shards.
#pragma once

#include "bench/accuracy/bench.hpp"
#include "tessera/tensor.hpp"

namespace tessera::score {

/// One row of tiles, `tiles` of them on each core of `cores`, row by row.
struct Shards {
    CoreRangeSet cores;
    std::uint32_t tiles = 1;
    DataFormat format = DataFormat::Float16_b;
};

/// Allocates the shards of a tensor. Ends the row (NotExpressible) if a core is outside of the
/// compute grid.
[[nodiscard]] DeviceTensor allocate_shards(Bench& bench, const char* name, const Shards& shards);

/// Adds a CB of `tiles` tiles with its own L1.
void add_cb(Program& program, const CoreSpec& cores, std::uint8_t index, std::uint32_t tiles,
            DataFormat format, Tile tile = {});

/// Adds a CB of `tiles` tiles that is allocated on `tensor`'s shard.
void add_cb_over(Program& program, const CoreSpec& cores, std::uint8_t index, std::uint32_t tiles,
                 const DeviceTensor& tensor);

}  // namespace tessera::score
