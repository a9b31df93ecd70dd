// SPDX-License-Identifier: Apache-2.0
// All-gathers along a line of devices, of tables of collectives and of models alike.
#pragma once

#include <cstdint>

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/prediction.hpp"
#include "tessera/buffer.hpp"
#include "tessera/data_format.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::score {

/// A row of devices, and how their tensors travel along it.
struct Collective {
    MeshSpec mesh;
    std::uint32_t links = 1;
    std::uint32_t workers = 1;  ///< cores for each link of each direction
    BufferType memory = BufferType::DRAM;
};

struct TilePackets {
    DataFormat format = DataFormat::Float16_b;
    std::uint32_t tiles = 1;  ///< of a packet
};

/// Cycles until each device has the `tiles` tiles of all others, as measured on a line: one core a
/// link sends them both ways. Beyond some thousand packets by the slope.
[[nodiscard]] Prediction line_gather_cycles(const Model& model, const Collective& collective,
                                            std::uint64_t tiles, const TilePackets& packets);

}  // namespace tessera::score
