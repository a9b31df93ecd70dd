// SPDX-License-Identifier: Apache-2.0
// Senders and receivers of the fabric bandwidth measurements: rows of `fabric_edm`, `fabric_bw`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/row.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::score {

enum class Cast : std::uint8_t { ToEnd, ToAllOnTheWay };

/// Packets from one device to the last device of a route, or to all devices on the route.
struct FabricFlow {
    std::uint32_t device = 0;
    LinkRoute route;
    Cast cast = Cast::ToEnd;
    LinkRoute turn;          ///< along the row, after the last link of `route`
    std::uint32_t east = 0;  ///< additional receivers east of each device on the route
    std::uint32_t west = 0;
};

/// Devices of a mesh, and flows among them that start together.
struct FabricPattern {
    MeshShape shape;
    Topology topology = Topology::Line;
    std::vector<FabricFlow> flows;
    /// Number of flows that a row's bandwidth counts: those over the busiest link in one direction.
    std::uint32_t counted = 0;
};

/// Returns a stream of tt-metal's test_fabric_edm_bandwidth.py. On a line, devices of the first
/// half send to the last device, those of the second half to the first device. On a ring, each
/// device sends to each other one in both directions.
/// Errors   NotExpressible for an unknown stream or parameter.
[[nodiscard]] FabricPattern edm_pattern(std::string_view name, const Parameters& parameters);

/// Returns the devices that packets of a flow are written on.
[[nodiscard]] std::vector<std::uint32_t> receivers_of(const FabricFlow& flow,
                                                      const FabricPattern& pattern);

/// Returns a pattern of tt-metal's test_fabric_ubench.yaml by its name ("NeighborExchangeLinear"),
/// on a row's machine.
/// Errors   as edm_pattern.
[[nodiscard]] FabricPattern ubench_pattern(std::string_view name, const Parameters& parameters);

}  // namespace tessera::score
