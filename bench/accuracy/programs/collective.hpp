// SPDX-License-Identifier: Apache-2.0
// Collectives for rows of collectives and for rows of models.
#pragma once

#include <cstdint>

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/prediction.hpp"
#include "ops/all_to_all/all_to_all.hpp"
#include "tessera/buffer.hpp"
#include "tessera/data_format.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::score {

/// A row of devices and the properties of a collective on it.
struct Collective {
    MeshSpec mesh;
    std::uint32_t links = 1;
    std::uint32_t workers = 1;  ///< cores per link and direction
    BufferType memory = BufferType::DRAM;
};

struct TilePackets {
    DataFormat format = DataFormat::Float16_b;
    std::uint32_t tiles = 1;  ///< per packet
};

/// Returns the cycles until each device has the `tiles` tiles of each other device, with the
/// measured line schedule: one core per link sends in both directions. Beyond a few thousand
/// packets the result is extrapolated.
[[nodiscard]] Prediction line_gather_cycles(const Model& model, const Collective& collective,
                                            std::uint64_t tiles, const TilePackets& packets);

/// Returns the cycles until each device has sent a part of `part_bytes` to each other device.
/// Beyond a few hundred packets the result is extrapolated.
[[nodiscard]] Prediction part_exchange_cycles(const Model& model, const Collective& collective,
                                              std::uint64_t part_bytes,
                                              ops::all_to_all::Opposite opposite);

}  // namespace tessera::score
