// SPDX-License-Identifier: Apache-2.0
// Nodes of a NoC's torus that a packet passes. Packets of NoC 0 move right, then down; those of NoC
// 1 move up, then left. Each axis wraps around.
// Source   tt-isa-documentation, NoC/README.md; tt-npe, device_models (unicast routes).
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"

namespace tessera {

enum class NocAxis : std::uint8_t { X = 0, Y = 1 };

/// Dimension-ordered routes of one NoC.
class NocRoute {
public:
    NocRoute(GridSize grid, std::uint32_t noc) : grid_(grid), noc_(noc) {}

    /// Returns the axis of a route's first leg: x on NoC 0, y on NoC 1.
    [[nodiscard]] NocAxis first_axis() const noexcept {
        return noc_ == 0 ? NocAxis::X : NocAxis::Y;
    }
    /// Returns the number of nodes of a ring along an axis.
    [[nodiscard]] std::uint32_t extent(NocAxis axis) const noexcept {
        return axis == NocAxis::X ? grid_.columns : grid_.rows;
    }
    /// Returns the number of links between two positions on an axis, in this NoC's direction.
    [[nodiscard]] std::uint32_t distance(NocAxis axis, std::uint32_t from,
                                         std::uint32_t to) const noexcept {
        const std::uint32_t forward = to >= from ? to - from : to + extent(axis) - from;
        return noc_ == 0 || forward == 0 ? forward : extent(axis) - forward;
    }
    [[nodiscard]] std::uint32_t hops(CoreCoord from, CoreCoord to) const noexcept {
        return distance(NocAxis::X, from.x, to.x) + distance(NocAxis::Y, from.y, to.y);
    }
    /// Returns the node at the end of the link that leaves `node` along `axis`.
    [[nodiscard]] CoreCoord next(CoreCoord node, NocAxis axis) const noexcept {
        std::uint32_t& position = axis == NocAxis::X ? node.x : node.y;
        if (noc_ == 0) {
            position = position + 1 == extent(axis) ? 0 : position + 1;
        } else {
            position = position == 0 ? extent(axis) - 1 : position - 1;
        }
        return node;
    }
    /// Returns the node at the start of the link that ends at `node` along `axis`.
    [[nodiscard]] CoreCoord previous(CoreCoord node, NocAxis axis) const noexcept {
        return NocRoute(grid_, 1 - noc_).next(node, axis);
    }
    /// Calls `visit(node, axis)` for `count` links along `axis`, the first of which leaves `node`.
    /// Returns the node at the end of the last link.
    template <class Visit>
    CoreCoord run(CoreCoord node, NocAxis axis, std::uint32_t count, Visit visit) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            visit(node, axis);
            node = next(node, axis);
        }
        return node;
    }
    /// Calls `visit(node, axis)` for each link of the route.
    template <class Visit>
    void walk(CoreCoord from, CoreCoord to, Visit visit) const {
        const NocAxis first = first_axis();
        for (const NocAxis axis : {first, first == NocAxis::X ? NocAxis::Y : NocAxis::X}) {
            from = run(from, axis, distance(axis, at(from, axis), at(to, axis)), visit);
        }
    }
    [[nodiscard]] static std::uint32_t at(CoreCoord node, NocAxis axis) noexcept {
        return axis == NocAxis::X ? node.x : node.y;
    }

private:
    GridSize grid_;
    std::uint32_t noc_;
};

}  // namespace tessera
