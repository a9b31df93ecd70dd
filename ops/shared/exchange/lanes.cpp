// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/lanes.hpp"

#include <algorithm>

namespace tessera::ops::exchange {

std::uint32_t ways_of(Travel travel) {
    // A ring and a tree use one direction of each link pair; the other forms use both.
    return travel == Travel::Ring || travel == Travel::Tree ? 1 : 2;
}

std::vector<Lane> lanes_of(const Exchange& exchange, Halves halves) {
    const std::uint32_t ways = ways_of(exchange.travel);
    // With halves each lane has its own part of the tensor. Otherwise both directions of a link
    // carry the same part.
    const bool is_split = halves == Halves::OneEachWay;
    std::vector<Lane> lanes;
    for (std::uint32_t link = 0; link < exchange.links; ++link) {
        for (std::uint32_t way = 0; way < ways; ++way) {
            lanes.push_back({is_split ? way * exchange.links + link : link,
                             is_split ? ways * exchange.links : exchange.links, way != 0});
        }
    }
    return lanes;
}

std::vector<Slice> Lane::of(std::span<const Slice> slices) const {
    std::vector<Slice> own(slices.size());
    std::ranges::transform(slices, own.begin(), [&](const Slice& slice) { return of(slice); });
    return own;
}

LanePlans::LanePlans(const Exchange& exchange, GroupPlans& plans, std::size_t index,
                     const Lane& lane)
    : exchange_(exchange),
      plans_(plans),
      index_(index),
      lane_(lane),
      grid_(group_grid(exchange.mesh, exchange.devices)) {
}

std::uint32_t LanePlans::position_of(std::uint32_t device) const {
    const auto found = std::ranges::find(exchange_.devices, device);
    return static_cast<std::uint32_t>(found - exchange_.devices.begin());
}

std::uint32_t LanePlans::place_of(std::uint32_t device) const {
    const auto found = std::ranges::find(grid_.devices, device);
    return static_cast<std::uint32_t>(found - grid_.devices.begin());
}

std::vector<Walk> LanePlans::rows() const {
    // Walks are turned for backward lanes, so the schedules need no second form.
    std::vector<Walk> walks;
    for (std::uint32_t row = 0; row < grid_.shape.rows; ++row) {
        walks.push_back(lane_.turned(row_walk(grid_, row, true)));
    }
    return walks;
}

std::vector<Walk> LanePlans::columns() const {
    std::vector<Walk> walks;
    for (std::uint32_t column = 0; column < grid_.shape.columns; ++column) {
        walks.push_back(lane_.turned(column_walk(grid_, column, true)));
    }
    return walks;
}

StopSlices LanePlans::own(const Walk& walk, std::span<const Slice> slices) const {
    StopSlices by_stop;
    for (const std::uint32_t device : walk.devices) {
        // One slice for each stop, in the order of the walk and not of the group.
        by_stop.push_back({slices[position_of(device)]});
    }
    return by_stop;
}

StopSlices LanePlans::of_rows(const Walk& walk, std::span<const Slice> slices) const {
    StopSlices by_stop;
    for (const std::uint32_t device : walk.devices) {
        const std::uint32_t row = place_of(device) / grid_.shape.columns;
        auto& of_row = by_stop.emplace_back();
        for (std::uint32_t column = 0; column < grid_.shape.columns; ++column) {
            of_row.push_back(slices[position_of(grid_.at(row, column))]);
        }
    }
    return by_stop;
}

StopSlices LanePlans::of_columns(const Walk& walk, std::span<const Slice> slices) const {
    StopSlices by_stop;
    for (const std::uint32_t device : walk.devices) {
        const std::uint32_t column = place_of(device) % grid_.shape.columns;
        auto& of_column = by_stop.emplace_back();
        for (std::uint32_t row = 0; row < grid_.shape.rows; ++row) {
            of_column.push_back(slices[position_of(grid_.at(row, column))]);
        }
    }
    return by_stop;
}

template <typename Make>
void LanePlans::add_to_each(const Walk& walk, Make make) {
    for (std::uint32_t i = 0; i < walk.size(); ++i) {
        of(walk.devices[i]).push_back(make(Stop{exchange_.mesh, walk, i}));
    }
}

void LanePlans::add_gather(const Walk& walk, const StopSlices& slices, Place own, bool stores_own) {
    add_to_each(walk, [&](const Stop& stop) { return gather(stop, slices, own, stores_own); });
}

void LanePlans::add_reduce_scatter(const Walk& walk, const StopSlices& slices, Place own,
                                   Place sum) {
    // With one device the sum is the device's own slice: a copy.
    add_to_each(walk, [&](const Stop& stop) {
        return walk.size() == 1 ? gather(stop, slices, own, true)
                                : reduce_scatter(stop, slices, own, sum);
    });
}

void LanePlans::add_reduce_chain(const Walk& walk, const Slice& slice, Place own, Place sum) {
    add_to_each(walk, [&](const Stop& stop) { return reduce_chain(stop, {&slice, 1}, own, sum); });
}

void LanePlans::add_broadcast_chain(const Walk& walk, const Slice& slice, Place own,
                                    bool stores_own) {
    add_to_each(walk, [&](const Stop& stop) {
        return broadcast_chain(stop, {&slice, 1}, own, stores_own);
    });
}

void LanePlans::add_copy(std::uint32_t device, const Slice& slice) {
    // A copy is a gather over a walk of one device.
    add_gather({{device}, true}, {{slice}}, Place::Input, true);
}

void LanePlans::add_pair(std::uint32_t from, std::uint32_t to, const Step& sent,
                         const Step& received, bool sums) {
    // Pairs of a tree need not be neighbours: the route passes the devices between them.
    Phase sender{.sums = sums, .next = {}, .previous = {}, .steps = {sent}};
    Phase receiver{.sums = sums, .next = {}, .previous = {}, .steps = {received}};
    sender.next = Neighbour{to, reach_of(exchange_.mesh, from, to)};
    receiver.previous = Neighbour{from, reach_of(exchange_.mesh, to, from)};
    of(from).push_back(std::move(sender));
    of(to).push_back(std::move(receiver));
}

}  // namespace tessera::ops::exchange
