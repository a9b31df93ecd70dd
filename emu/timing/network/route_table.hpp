// SPDX-License-Identifier: Apache-2.0
// Table of unicast routes: ports, links and virtual channels between two nodes of a NoC. Each route
// is computed once; computing it for each packet took 30 % of a replay.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/base/noc_route.hpp"

namespace tessera::timing {

class RouteTable {
public:
    explicit RouteTable(GridSize grid);

    [[nodiscard]] const NocRoute& route(std::uint32_t noc) const noexcept { return routes_[noc]; }

    /// Returns the hops from the injection port of `from` to the ejection port of `to`. An entry is
    /// twice the number of a link, counted from the network's first, plus 1 past the dateline.
    /// Valid as long as the table.
    [[nodiscard]] std::span<const std::uint16_t> of(std::uint32_t noc, CoreCoord from,
                                                    CoreCoord to) {
        std::span<const std::uint16_t>& route = cell(noc, from, to);
        if (route.empty()) {
            route = add(noc, from, to);
        }
        return route;
    }

private:
    static constexpr std::size_t kBlock = 1U << 13U;

    [[nodiscard]] std::uint32_t number_of(CoreCoord node) const noexcept {
        return node.y * grid_.columns + node.x;
    }
    /// Returns a route's cell, which is empty if the route has not been computed.
    [[nodiscard]] std::span<const std::uint16_t>& cell(std::uint32_t noc, CoreCoord from,
                                                       CoreCoord to) {
        std::uint32_t& row = rows_[noc * num_nodes_ + number_of(from)];
        if (row == 0) {
            row = static_cast<std::uint32_t>(cells_.size());
            cells_.resize(cells_.size() + num_nodes_);
        }
        return cells_[row + number_of(to)];
    }
    std::span<const std::uint16_t> add(std::uint32_t noc, CoreCoord from, CoreCoord to);
    void add_rings(std::uint32_t noc, NocAxis axis);
    /// Appends the links from `node` along `axis` up to `to`. Returns the node at their end.
    CoreCoord append(std::uint32_t noc, CoreCoord node, CoreCoord to, NocAxis axis,
                     std::vector<std::uint16_t>& channels) const;

    GridSize grid_;
    std::uint32_t num_nodes_;
    std::array<NocRoute, 2> routes_;
    /// By noc and axis: links of each ring in the order in which packets pass them. A ring appears
    /// twice, first with the channels before the dateline, then with those past it.
    std::array<std::array<std::vector<std::uint16_t>, 2>, 2> rings_;
    std::vector<std::uint32_t> rows_;  ///< by (noc, from): begin in `cells_`; 0: no cells yet
    std::vector<std::span<const std::uint16_t>> cells_;  ///< by `to`
    std::vector<std::vector<std::uint16_t>>
        blocks_;  ///< storage of routes; a block never grows beyond kBlock
};

}  // namespace tessera::timing
