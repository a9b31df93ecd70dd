// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/route_table.hpp"

#include "emu/timing/network/resource_table.hpp"

namespace tessera::timing {

RouteTable::RouteTable(GridSize grid)
    : grid_(grid),
      num_nodes_(grid.columns * grid.rows),
      routes_{NocRoute{grid, 0}, NocRoute{grid, 1}},
      rows_(2 * std::size_t{num_nodes_}),
      cells_(1) {
}

std::uint32_t RouteTable::add(std::uint32_t noc, CoreCoord from, CoreCoord to) {
    const NocRoute& route = routes_[noc];
    const std::size_t count = channels_.size();
    channels_.push_back(0);
    channels_.push_back(2 * ResourceTable::injection(number_of(from)));
    NocAxis ring{};
    std::uint32_t is_past_dateline = 0;
    route.for_each_link(from, to, [&](CoreCoord node, NocAxis axis) {
        is_past_dateline = axis == ring ? is_past_dateline : 0;
        channels_.push_back(2 * ResourceTable::link(number_of(node), axis) + is_past_dateline);
        is_past_dateline |= route.wraps(node, axis) ? 1U : 0U;
        ring = axis;
    });
    channels_.push_back(2 * ResourceTable::ejection(number_of(to)));
    channels_[count] = static_cast<std::uint32_t>(channels_.size() - count - 1);
    return static_cast<std::uint32_t>(count + 1);
}

}  // namespace tessera::timing
