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
    for (std::uint32_t noc = 0; noc < 2; ++noc) {
        for (const NocAxis axis : {NocAxis::X, NocAxis::Y}) {
            add_rings(noc, axis);
        }
    }
}

void RouteTable::add_rings(std::uint32_t noc, NocAxis axis) {
    const NocRoute& route = routes_[noc];
    std::vector<std::uint16_t>& rings = rings_[noc][static_cast<std::size_t>(axis)];
    const std::uint32_t length = route.extent(axis);
    for (std::uint32_t ring = 0; ring < num_nodes_ / length; ++ring) {
        // Twice around, so that every route is a slice of its ring, also one that passes the
        // dateline. The dateline bit of the virtual channel flips where the ring closes; otherwise
        // packets would wait for each other around the ring (tt-isa-documentation,
        // WormholeB0/NoC/README.md).
        const std::uint32_t begin = noc == 0 ? 0 : length - 1;
        CoreCoord node = axis == NocAxis::X ? CoreCoord{begin, ring} : CoreCoord{ring, begin};
        for (std::uint32_t i = 0; i < 2 * length; ++i, node = route.next(node, axis)) {
            const std::uint32_t is_past_dateline = i < length ? 0 : 1;
            rings.push_back(static_cast<std::uint16_t>(
                2 * ResourceTable::link(number_of(node), axis) + is_past_dateline));
        }
    }
}

CoreCoord RouteTable::append(std::uint32_t noc, CoreCoord node, CoreCoord to, NocAxis axis,
                             std::vector<std::uint16_t>& channels) const {
    const NocRoute& route = routes_[noc];
    const std::uint32_t length = route.extent(axis);
    const std::uint32_t at = NocRoute::at(node, axis);
    const std::uint32_t ring = axis == NocAxis::X ? node.y : node.x;
    const std::uint32_t begin = 2 * length * ring + (noc == 0 ? at : length - 1 - at);
    const std::uint32_t count = route.distance(axis, at, NocRoute::at(to, axis));
    const std::span links = std::span(rings_[noc][static_cast<std::size_t>(axis)]);
    const std::span passed = links.subspan(begin, count);
    channels.insert(channels.end(), passed.begin(), passed.end());
    return axis == NocAxis::X ? CoreCoord{to.x, node.y} : CoreCoord{node.x, to.y};
}

std::span<const std::uint16_t> RouteTable::add(std::uint32_t noc, CoreCoord from, CoreCoord to) {
    const NocRoute& route = routes_[noc];
    const std::size_t length = route.hops(from, to) + 2;
    // Blocks never move, so that returned spans stay valid; routes in a block are adjacent.
    if (blocks_.empty() || blocks_.back().size() + length > kBlock) {
        blocks_.emplace_back().reserve(std::max(kBlock, length));
    }
    std::vector<std::uint16_t>& channels = blocks_.back();
    const NocAxis first = route.first_axis();
    channels.push_back(static_cast<std::uint16_t>(2 * ResourceTable::injection(number_of(from))));
    const CoreCoord turn = append(noc, from, to, first, channels);
    append(noc, turn, to, first == NocAxis::X ? NocAxis::Y : NocAxis::X, channels);
    // A packet keeps its side of the dateline at the ejection port. Packets from both sides then
    // share the port by virtual channel, not in one queue.
    const std::uint32_t is_past_dateline = channels.back() & 1U;
    channels.push_back(
        static_cast<std::uint16_t>(2 * ResourceTable::ejection(number_of(to)) + is_past_dateline));
    return std::span(channels).last(length);
}

}  // namespace tessera::timing
