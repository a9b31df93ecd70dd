// SPDX-License-Identifier: Apache-2.0
// Routes between any two devices of a mesh, in dimension order. The machine, the timing model and
// the host's descriptions of routes share this rule.
#pragma once

#include <cstdint>

#include "tessera/mesh_links.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera {

/// Route along the column, then along the row. Either part may have 0 hops.
struct MeshRoute {
    LinkRoute column;  ///< north or south
    LinkRoute row;     ///< east or west

    [[nodiscard]] constexpr std::uint32_t hops() const noexcept { return column.hops + row.hops; }
    /// Returns the direction of the first hop.
    /// Precondition   hops() > 0.
    [[nodiscard]] constexpr LinkDirection first() const noexcept {
        return column.hops != 0 ? column.direction : row.direction;
    }
    friend constexpr bool operator==(const MeshRoute&, const MeshRoute&) = default;
};

/// Devices that one multicast packet is written on: those along `first` and, from each of them,
/// `east` and `west` devices along its row.
struct MeshBox {
    LinkRoute first;         ///< route along the column, or along one row
    std::uint32_t east = 0;  ///< devices east of each device of `first`; 0 if `first` is a row
    std::uint32_t west = 0;
    friend constexpr bool operator==(const MeshBox&, const MeshBox&) = default;
};

/// Returns the shortest route between devices of one row or column. If two routes are equally
/// short, devices at even positions use east or north, and the other devices use west or south.
/// Both directions then carry equal loads when all devices send to all.
/// Precondition   the devices share a row or column and differ.
[[nodiscard]] constexpr LinkRoute axis_route(MeshShape shape, Topology topology, std::uint32_t from,
                                             std::uint32_t to) noexcept {
    const bool is_column = from % shape.columns == to % shape.columns;
    const LinkRoute route = *straight_route(shape, topology, from, to);
    const auto opposite =
        static_cast<LinkDirection>(static_cast<std::uint8_t>(route.direction) ^ 1U);
    const LinkRoute other{opposite, route.hops};
    const std::uint32_t place = is_column ? from / shape.columns : from % shape.columns;
    const bool is_tie = neighbour(shape, topology, from, other) == to;
    return is_tie && place % 2 != 0 ? other : route;
}

/// Returns the shortest route in dimension order; it has 0 hops from a device to itself.
/// Source   tt-metal tt_metal/fabric/hw/inc/tt_fabric_api.h: north or south first.
[[nodiscard]] constexpr MeshRoute mesh_route(MeshShape shape, Topology topology, std::uint32_t from,
                                             std::uint32_t to) noexcept {
    const std::uint32_t corner = to / shape.columns * shape.columns + from % shape.columns;
    MeshRoute route{{LinkDirection::South, 0}, {LinkDirection::East, 0}};
    if (corner != from) {
        route.column = axis_route(shape, topology, from, corner);
    }
    if (to != corner) {
        route.row = axis_route(shape, topology, corner, to);
    }
    return route;
}

}  // namespace tessera
