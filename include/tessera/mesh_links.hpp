// SPDX-License-Identifier: Apache-2.0
// Neighbours along the links of a mesh. The machine and the host's route functions share this rule.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tessera/mesh_spec.hpp"

namespace tessera {

/// Links that join a device to its neighbour in one direction, numbered from 0.
/// Source   tt-metal tech_reports/EthernetMultichip: four on Wormhole Galaxy.
inline constexpr std::uint32_t kLinksPerDirection = 4;

inline constexpr std::array kLinkDirections{LinkDirection::East, LinkDirection::West,
                                            LinkDirection::North, LinkDirection::South};

/// Returns "east", "west", "north" or "south".
[[nodiscard]] constexpr const char* name_of(LinkDirection direction) noexcept {
    constexpr std::array kNames{"east", "west", "north", "south"};
    return kNames[static_cast<std::size_t>(direction)];
}
/// Returns "line", "ring" or "torus".
[[nodiscard]] constexpr const char* name_of(Topology topology) noexcept {
    constexpr std::array kNames{"line", "ring", "torus"};
    return kNames[static_cast<std::size_t>(topology)];
}

/// Consecutive links in one direction.
struct LinkRoute {
    LinkDirection direction = LinkDirection::East;
    std::uint32_t hops = 0;
    friend constexpr bool operator==(const LinkRoute&, const LinkRoute&) = default;
};

namespace mesh_axis {

/// Returns whether links close the axis to a ring.
[[nodiscard]] constexpr bool is_closed(Topology topology, std::uint32_t other_extent) noexcept {
    return topology == Topology::Torus || (topology == Topology::Ring && other_extent == 1);
}

/// Returns the position after `step` (± hops) on an axis; none if it leaves an open axis.
[[nodiscard]] constexpr std::optional<std::uint32_t> walk(std::uint32_t position, std::int64_t step,
                                                          std::uint32_t extent,
                                                          bool closed) noexcept {
    const std::int64_t target = std::int64_t{position} + step;
    if (target >= 0 && target < extent) {
        return static_cast<std::uint32_t>(target);
    }
    if (!closed) {
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(((target % extent) + extent) % extent);
}

}  // namespace mesh_axis

/// Returns the device at the end of `route` from device `from`; none if the route leaves the mesh.
[[nodiscard]] constexpr std::optional<std::uint32_t> neighbour(MeshShape shape, Topology topology,
                                                               std::uint32_t from,
                                                               LinkRoute route) noexcept {
    const auto [rows, columns] = shape;
    const bool is_forward =
        route.direction == LinkDirection::East || route.direction == LinkDirection::South;
    const std::int64_t step = is_forward ? std::int64_t{route.hops} : -std::int64_t{route.hops};
    const std::uint32_t row = from / columns;
    const std::uint32_t column = from % columns;
    if (route.direction == LinkDirection::East || route.direction == LinkDirection::West) {
        const auto target =
            mesh_axis::walk(column, step, columns, mesh_axis::is_closed(topology, rows));
        return target ? std::optional(row * columns + *target) : std::nullopt;
    }
    const auto target = mesh_axis::walk(row, step, rows, mesh_axis::is_closed(topology, columns));
    return target ? std::optional(*target * columns + column) : std::nullopt;
}

/// Returns the shortest straight route between two different devices; of two equally short ones,
/// the first in the order of kLinkDirections. Returns none if they share neither row nor column.
[[nodiscard]] constexpr std::optional<LinkRoute> straight_route(MeshShape shape, Topology topology,
                                                                std::uint32_t from,
                                                                std::uint32_t to) noexcept {
    const std::uint32_t longest = (shape.rows > shape.columns ? shape.rows : shape.columns) - 1;
    for (std::uint32_t hops = 1; hops <= longest; ++hops) {
        for (const LinkDirection direction : kLinkDirections) {
            if (neighbour(shape, topology, from, {direction, hops}) == to) {
                return LinkRoute{direction, hops};
            }
        }
    }
    return std::nullopt;
}

}  // namespace tessera
