// SPDX-License-Identifier: Apache-2.0
// Looks up the routes of unicast packets: which ports, links and virtual channels lie between two
// nodes of a NoC. Each is worked out once; computing routes was 30 % of a replay.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/timing/network/noc_route.hpp"

namespace tessera::timing {

class RouteTable {
public:
    explicit RouteTable(GridSize grid);

    [[nodiscard]] const NocRoute& route(std::uint32_t noc) const noexcept { return routes_[noc]; }

    /// Returns the virtual channels (VirtualChannels' numbers) from the injection port of `from` to
    /// the ejection port of `to`, counted from the first of the network: half of one is its
    /// resource. Valid as long as the table.
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
    /// Returns a route's cell; it is empty if the route was not asked for yet.
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
    /// Appends the links from `node` along `axis` as far as `to`. Returns the node behind them.
    CoreCoord append(std::uint32_t noc, CoreCoord node, CoreCoord to, NocAxis axis,
                     std::vector<std::uint16_t>& channels) const;

    GridSize grid_;
    std::uint32_t num_nodes_;
    std::array<NocRoute, 2> routes_;
    /// By noc and axis: the links of each ring in the order in which packets pass them, from the
    /// one behind the dateline around, and around once more on the channels past it.
    std::array<std::array<std::vector<std::uint16_t>, 2>, 2> rings_;
    std::vector<std::uint32_t> rows_;  ///< by (noc, from): begin in `cells_`; 0: none yet
    std::vector<std::span<const std::uint16_t>> cells_;  ///< by `to`
    std::vector<std::vector<std::uint16_t>> blocks_;     ///< of channels; none grows beyond kBlock
};

}  // namespace tessera::timing
