// SPDX-License-Identifier: Apache-2.0
// Which nodes of a NoC's torus a packet passes. NoC 0 moves to the right, then down; NoC 1 up, then
// to the left. Each axis wraps around.
// Source   tt-isa-documentation, NoC/README.md; tt-npe, device_models (unicast routes).
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"

namespace tessera::timing {

enum class NocAxis : std::uint8_t { X = 0, Y = 1 };

class NocRoute {
public:
    NocRoute(GridSize grid, std::uint32_t noc) : grid_(grid), noc_(noc) {}

    /// Axis that packets move along first: x on NoC 0, y on NoC 1.
    [[nodiscard]] NocAxis first_axis() const noexcept {
        return noc_ == 0 ? NocAxis::X : NocAxis::Y;
    }
    /// Nodes of a ring along an axis.
    [[nodiscard]] std::uint32_t extent(NocAxis axis) const noexcept {
        return axis == NocAxis::X ? grid_.columns : grid_.rows;
    }
    /// Links from one position on an axis to another, in this NoC's direction.
    [[nodiscard]] std::uint32_t distance(NocAxis axis, std::uint32_t from,
                                         std::uint32_t to) const noexcept {
        const std::uint32_t forward = to >= from ? to - from : to + extent(axis) - from;
        return noc_ == 0 || forward == 0 ? forward : extent(axis) - forward;
    }
    [[nodiscard]] std::uint32_t hops(CoreCoord from, CoreCoord to) const noexcept {
        return distance(NocAxis::X, from.x, to.x) + distance(NocAxis::Y, from.y, to.y);
    }
    /// The node behind the link that leaves `node` along `axis`.
    [[nodiscard]] CoreCoord next(CoreCoord node, NocAxis axis) const noexcept {
        std::uint32_t& position = axis == NocAxis::X ? node.x : node.y;
        if (noc_ == 0) {
            position = position + 1 == extent(axis) ? 0 : position + 1;
        } else {
            position = position == 0 ? extent(axis) - 1 : position - 1;
        }
        return node;
    }
    /// Whether the link that leaves `node` along `axis` closes the ring of that axis.
    [[nodiscard]] bool wraps(CoreCoord node, NocAxis axis) const noexcept {
        return at(node, axis) == (noc_ == 0 ? extent(axis) - 1 : 0);
    }
    /// The node in front of the link that ends at `node` along `axis`.
    [[nodiscard]] CoreCoord previous(CoreCoord node, NocAxis axis) const noexcept {
        return NocRoute(grid_, 1 - noc_).next(node, axis);
    }
    /// Calls `visit(node, axis)` for each link on the way, in order: the link that leaves `node`
    /// along `axis`.
    template <class Visit>
    void for_each_link(CoreCoord from, CoreCoord to, Visit visit) const {
        const NocAxis first = first_axis();
        from = run(from, first, distance(first, at(from, first), at(to, first)), visit);
        const NocAxis second = first == NocAxis::X ? NocAxis::Y : NocAxis::X;
        run(from, second, distance(second, at(from, second), at(to, second)), visit);
    }
    /// Visits `count` links along `axis`. Returns the node behind the last.
    template <class Visit>
    CoreCoord run(CoreCoord node, NocAxis axis, std::uint32_t count, Visit visit) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            visit(node, axis);
            node = next(node, axis);
        }
        return node;
    }
    [[nodiscard]] static std::uint32_t at(CoreCoord node, NocAxis axis) noexcept {
        return axis == NocAxis::X ? node.x : node.y;
    }

private:
    GridSize grid_;
    std::uint32_t noc_;
};

}  // namespace tessera::timing
