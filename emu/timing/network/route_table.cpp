// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/route_table.hpp"

#include <algorithm>

#include "emu/timing/network/resource_table.hpp"

namespace tessera::timing {

RouteTable::RouteTable(GridSize grid)
    : grid_(grid),
      num_nodes_(grid.columns * grid.rows),
      routes_{NocRoute{grid, 0}, NocRoute{grid, 1}},
      rows_(2 * std::size_t{num_nodes_}),
      cells_(1) {
}

std::span<const std::uint32_t> RouteTable::add(std::uint32_t noc, CoreCoord from, CoreCoord to) {
    const NocRoute& route = routes_[noc];
    const std::size_t length = route.hops(from, to) + 2;
    if (blocks_.empty() || blocks_.back().size() + length > kBlock) {
        blocks_.emplace_back().reserve(std::max(kBlock, length));
    }
    std::vector<std::uint32_t>& channels = blocks_.back();
    channels.push_back(2 * ResourceTable::injection(number_of(from)));
    NocAxis ring{};
    std::uint32_t is_past_dateline = 0;
    route.for_each_link(from, to, [&](CoreCoord node, NocAxis axis) {
        is_past_dateline = axis == ring ? is_past_dateline : 0;
        channels.push_back(2 * ResourceTable::link(number_of(node), axis) + is_past_dateline);
        is_past_dateline |= route.wraps(node, axis) ? 1U : 0U;
        ring = axis;
    });
    channels.push_back(2 * ResourceTable::ejection(number_of(to)));
    return std::span(channels).last(length);
}

}  // namespace tessera::timing
