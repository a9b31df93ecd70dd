// SPDX-License-Identifier: Apache-2.0
// Tensors of which each core of a program has its own columns in L1, and CBs over these.
#pragma once

#include "bench/accuracy/bench.hpp"
#include "tessera/tensor.hpp"

namespace tessera::score {

/// One row of tiles, `tiles` of them on each core of `cores`, from core to core along rows.
struct Shards {
    CoreRangeSet cores;
    std::uint32_t tiles = 1;
    DataFormat format = DataFormat::Float16_b;
};

/// Ends the row (NotExpressible) if a core lies outside of the compute grid.
[[nodiscard]] DeviceTensor allocate_shards(Bench& bench, const char* name, const Shards& shards);

/// A CB of `tiles` tiles in L1 of its own.
void add_cb(Program& program, const CoreSpec& cores, std::uint8_t index, std::uint32_t tiles,
            DataFormat format, Tile tile = {});

/// A CB that is `tensor`'s shard: `tiles` tiles.
void add_cb_over(Program& program, const CoreSpec& cores, std::uint8_t index, std::uint32_t tiles,
                 const DeviceTensor& tensor);

}  // namespace tessera::score
