// SPDX-License-Identifier: Apache-2.0
// Who sends to whom in measurements of the fabric's bandwidth: rows of `fabric_edm`, `fabric_bw`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/row.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::score {

enum class Cast : std::uint8_t { ToEnd, ToAllOnTheWay };

/// Packets from one device to the one at the end of a route, or to all up to there.
struct FabricFlow {
    std::uint32_t device = 0;
    LinkRoute route;
    Cast cast = Cast::ToEnd;
    LinkRoute turn;          ///< on along the row, behind the last link of `route`
    std::uint32_t east = 0;  ///< devices beside each on the way, to which the packets go as well
    std::uint32_t west = 0;
};

/// Devices of a mesh, and flows among them that start together.
struct FabricPattern {
    MeshShape shape;
    Topology topology = Topology::Line;
    std::vector<FabricFlow> flows;
    /// Flows whose packets a row's bandwidth counts: those over the busiest link, one way.
    std::uint32_t counted = 0;
};

/// A stream of tt-metal's test_fabric_edm_bandwidth.py: devices of the first half of a line send to
/// its last one, those of the second half to its first one; around a ring, each to all others both
/// ways.
/// Errors   NotExpressible for a stream or a parameter that is not known.
[[nodiscard]] FabricPattern edm_pattern(std::string_view name, const Parameters& parameters);

/// Returns the devices that packets of a flow are written on.
[[nodiscard]] std::vector<std::uint32_t> receivers_of(const FabricFlow& flow,
                                                      const FabricPattern& pattern);

/// A pattern of tt-metal's test_fabric_ubench.yaml by its name ("NeighborExchangeLinear") on a
/// row's machine. Errors   as edm_pattern.
[[nodiscard]] FabricPattern ubench_pattern(std::string_view name, const Parameters& parameters);

}  // namespace tessera::score
