// SPDX-License-Identifier: Apache-2.0
#include "ops/exchange/schedules.hpp"

#include <algorithm>

#include "ops/all_reduce/ring.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::exchange {
namespace {

// One core of every device, and what it handles of each slice.
struct Lane {
    std::uint32_t share = 0;
    std::uint32_t shares = 1;
    bool is_backward = false;

    [[nodiscard]] Slice of(const Slice& slice) const { return share_of(slice, share, shares); }
    [[nodiscard]] Walk turned(const Walk& walk) const {
        return is_backward ? reversed(walk) : walk;
    }
};

std::vector<Lane> lanes_of(const Exchange& exchange) {
    const std::uint32_t ways = ways_of(exchange.travel);
    // On a line both ways carry all of a slice, from its owner to either end.
    const bool is_split = exchange.travel != Travel::Line;
    std::vector<Lane> lanes;
    for (std::uint32_t link = 0; link < exchange.links; ++link) {
        for (std::uint32_t way = 0; way < ways; ++way) {
            lanes.push_back({is_split ? way * exchange.links + link : link,
                             is_split ? ways * exchange.links : exchange.links, way != 0});
        }
    }
    return lanes;
}

GroupGrid grid_of(const Exchange& exchange) {
    auto grid = group_grid(exchange.mesh, exchange.devices);
    ensure(grid.has_value(), "exchange over {} devices that are no rows and columns",
           exchange.devices.size());
    return *std::move(grid);
}

std::uint32_t position_of(const Exchange& exchange, std::uint32_t device) {
    const auto found = std::ranges::find(exchange.devices, device);
    return static_cast<std::uint32_t>(found - exchange.devices.begin());
}

GroupPlans empty_plans(const Exchange& exchange, std::size_t num_lanes) {
    return GroupPlans(exchange.devices.size(), DevicePlans(num_lanes));
}

// Calls add(stop, plan of that device's core) for each device of the walk.
template <typename Add>
void for_each_stop(const Exchange& exchange, GroupPlans& plans, std::size_t lane, const Walk& walk,
                   Add add) {
    for (std::uint32_t i = 0; i < walk.size(); ++i) {
        add(Stop{exchange.mesh, walk, i}, plans[position_of(exchange, walk.devices[i])][lane]);
    }
}

// Slices of one lane by stop: of each device of the walk its own one.
std::vector<std::vector<Slice>> own_slices(const Exchange& exchange, const Walk& walk,
                                           std::span<const Slice> slices, const Lane& lane) {
    std::vector<std::vector<Slice>> by_stop;
    for (const std::uint32_t device : walk.devices) {
        by_stop.push_back({lane.of(slices[position_of(exchange, device)])});
    }
    return by_stop;
}

// The same for walks along a column, where each stop stands for its row of the group.
std::vector<std::vector<Slice>> row_slices(const Exchange& exchange, const GroupGrid& grid,
                                           const Walk& walk, std::span<const Slice> slices,
                                           const Lane& lane) {
    std::vector<std::vector<Slice>> by_stop;
    for (const std::uint32_t device : walk.devices) {
        const auto place = static_cast<std::uint32_t>(std::ranges::find(grid.devices, device) -
                                                      grid.devices.begin());
        auto& row = by_stop.emplace_back();
        for (std::uint32_t column = 0; column < grid.shape.columns; ++column) {
            const std::uint32_t member = grid.at(place / grid.shape.columns, column);
            row.push_back(lane.of(slices[position_of(exchange, member)]));
        }
    }
    return by_stop;
}

// For walks along a row, where each stop stands for its column of the group.
std::vector<std::vector<Slice>> column_slices(const Exchange& exchange, const GroupGrid& grid,
                                              const Walk& walk, std::span<const Slice> slices,
                                              const Lane& lane) {
    std::vector<std::vector<Slice>> by_stop;
    for (const std::uint32_t device : walk.devices) {
        const auto place = static_cast<std::uint32_t>(std::ranges::find(grid.devices, device) -
                                                      grid.devices.begin());
        auto& column = by_stop.emplace_back();
        for (std::uint32_t row = 0; row < grid.shape.rows; ++row) {
            const std::uint32_t member = grid.at(row, place % grid.shape.columns);
            column.push_back(lane.of(slices[position_of(exchange, member)]));
        }
    }
    return by_stop;
}

// Reads where it will be stored: of tensors that are read again after they were stored.
Slice in_place(const Slice& slice) {
    return {slice.store_begin, slice.store_begin, slice.bytes};
}
std::vector<std::vector<Slice>> in_place(std::vector<std::vector<Slice>> by_stop) {
    for (auto& slices : by_stop) {
        std::ranges::transform(slices, slices.begin(), [](const Slice& s) { return in_place(s); });
    }
    return by_stop;
}

void add_gather(const Exchange& exchange, GroupPlans& plans, std::size_t index, const Walk& walk,
                const std::vector<std::vector<Slice>>& slices, Place own, bool stores_own) {
    for_each_stop(exchange, plans, index, walk, [&](const Stop& stop, CorePlan& plan) {
        plan.push_back(gather(stop, slices, own, stores_own));
    });
}

void add_reduce_scatter(const Exchange& exchange, GroupPlans& plans, std::size_t index,
                        const Walk& walk, const std::vector<std::vector<Slice>>& slices, Place own,
                        Place sum) {
    for_each_stop(exchange, plans, index, walk, [&](const Stop& stop, CorePlan& plan) {
        plan.push_back(walk.size() == 1 ? gather(stop, slices, own, true)
                                        : reduce_scatter(stop, slices, own, sum));
    });
}

// Rings over the rows, then over the columns; either is left out where it is of one device.
void gather_rows_columns(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                         std::size_t index, const Lane& lane, std::span<const Slice> slices) {
    for (std::uint32_t row = 0; row < grid.shape.rows; ++row) {
        const Walk walk = lane.turned(row_walk(grid, row, true));
        add_gather(exchange, plans, index, walk, own_slices(exchange, walk, slices, lane),
                   Place::Input, true);
    }
    for (std::uint32_t c = 0; grid.shape.rows > 1 && c < grid.shape.columns; ++c) {
        const Walk walk = lane.turned(column_walk(grid, c, true));
        add_gather(exchange, plans, index, walk,
                   in_place(row_slices(exchange, grid, walk, slices, lane)), Place::Output, false);
    }
}

void scatter_rows_columns(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                          std::size_t index, const Lane& lane, std::span<const Slice> slices) {
    const bool has_rows = grid.shape.columns > 1;
    for (std::uint32_t row = 0; has_rows && row < grid.shape.rows; ++row) {
        const Walk walk = lane.turned(row_walk(grid, row, true));
        auto by_stop = column_slices(exchange, grid, walk, slices, lane);
        const bool is_all = grid.shape.rows == 1;
        // Sums of a row lie in the workspace where the input had them.
        for (auto& column : by_stop) {
            for (Slice& slice : column) {
                slice.store_begin = is_all ? slice.store_begin : slice.read_begin;
            }
        }
        add_reduce_scatter(exchange, plans, index, walk, by_stop, Place::Input,
                           is_all ? Place::Output : Place::Workspace);
    }
    for (std::uint32_t c = 0; grid.shape.rows > 1 && c < grid.shape.columns; ++c) {
        const Walk walk = lane.turned(column_walk(grid, c, true));
        add_reduce_scatter(exchange, plans, index, walk, own_slices(exchange, walk, slices, lane),
                           has_rows ? Place::Workspace : Place::Input, Place::Output);
    }
}

// What each device owns of a tensor that all reduce: part i of n in the order of `owners`.
std::vector<Slice> owned(const Exchange& exchange, std::span<const std::uint32_t> owners,
                         const Slice& whole) {
    std::vector<Slice> slices(exchange.devices.size());
    const auto count = static_cast<std::uint32_t>(owners.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        slices[position_of(exchange, owners[i])] = share_of(whole, i, count);
    }
    return slices;
}

constexpr Lane kAll{};

void reduce_ring(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                 std::size_t index, const Lane& lane, const Slice& whole) {
    const Walk walk = lane.turned(ring_walk(grid));
    const auto slices = owned(exchange, exchange.devices, lane.of(whole));
    const auto by_stop = own_slices(exchange, walk, slices, kAll);
    add_reduce_scatter(exchange, plans, index, walk, by_stop, Place::Input, Place::Output);
    add_gather(exchange, plans, index, walk, by_stop, Place::Output, false);
}

void reduce_line(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                 std::size_t index, const Lane& lane, const Slice& whole) {
    const Walk walk =
        lane.turned(grid.shape.rows == 1 ? row_walk(grid, 0, false) : column_walk(grid, 0, false));
    const Walk back = reversed(walk);
    const std::vector<Slice> slices{lane.of(whole)};
    for_each_stop(exchange, plans, index, walk, [&](const Stop& stop, CorePlan& plan) {
        plan.push_back(reduce_chain(stop, slices, Place::Input, Place::Output));
    });
    for_each_stop(exchange, plans, index, back, [&](const Stop& stop, CorePlan& plan) {
        plan.push_back(broadcast_chain(stop, slices, Place::Output, false));
    });
}

void reduce_rows_columns(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                         std::size_t index, const Lane& lane, const Slice& whole) {
    std::vector<std::uint32_t> owners;  // column by column: a column's slices lie together
    for (std::uint32_t column = 0; column < grid.shape.columns; ++column) {
        for (std::uint32_t row = 0; row < grid.shape.rows; ++row) {
            owners.push_back(grid.at(row, column));
        }
    }
    const auto slices = owned(exchange, owners, lane.of(whole));
    const bool has_rows = grid.shape.columns > 1;
    for (std::uint32_t row = 0; has_rows && row < grid.shape.rows; ++row) {
        const Walk walk = lane.turned(row_walk(grid, row, true));
        add_reduce_scatter(exchange, plans, index, walk,
                           column_slices(exchange, grid, walk, slices, kAll), Place::Input,
                           Place::Output);
    }
    for (std::uint32_t c = 0; grid.shape.rows > 1 && c < grid.shape.columns; ++c) {
        const Walk walk = lane.turned(column_walk(grid, c, true));
        const auto by_stop = own_slices(exchange, walk, slices, kAll);
        add_reduce_scatter(exchange, plans, index, walk, by_stop,
                           has_rows ? Place::Output : Place::Input, Place::Output);
        add_gather(exchange, plans, index, walk, by_stop, Place::Output, false);
    }
    for (std::uint32_t row = 0; has_rows && row < grid.shape.rows; ++row) {
        const Walk walk = lane.turned(row_walk(grid, row, true));
        add_gather(exchange, plans, index, walk, column_slices(exchange, grid, walk, slices, kAll),
                   Place::Output, false);
    }
}

// Devices at the same distance from the root along an axis of a tree, nearest first.
using Axis = std::vector<std::uint32_t>;

Axis turned_to(std::vector<std::uint32_t> devices, std::uint32_t root) {
    std::ranges::rotate(devices, devices.begin() + root);
    return devices;
}

// One pair of a tree: near < far by `distance`.
struct Pair {
    std::uint32_t near;
    std::uint32_t far;
};

// Pairs of one axis at one distance.
std::vector<Pair> pairs_at(const Axis& axis, std::uint32_t distance) {
    std::vector<Pair> pairs;
    const auto size = static_cast<std::uint32_t>(axis.size());
    for (std::uint32_t i = 0; i + distance < size; i += 2 * distance) {
        pairs.push_back({axis[i], axis[i + distance]});
    }
    return pairs;
}

// Rows of the tree, then its one column; both begin at the root.
struct Tree {
    std::vector<Axis> rows;
    Axis column;
};

Tree tree_of(const GroupGrid& grid, std::uint32_t root_device) {
    const auto place = static_cast<std::uint32_t>(std::ranges::find(grid.devices, root_device) -
                                                  grid.devices.begin());
    const std::uint32_t row = place / grid.shape.columns;
    const std::uint32_t column = place % grid.shape.columns;
    Tree tree;
    for (std::uint32_t r = 0; r < grid.shape.rows; ++r) {
        tree.rows.push_back(turned_to(row_walk(grid, r, false).devices, column));
    }
    tree.column = turned_to(column_walk(grid, column, false).devices, row);
    return tree;
}

// Adds the phases of one pair to both devices' plans.
void add_pair(const Exchange& exchange, GroupPlans& plans, std::size_t index, std::uint32_t from,
              std::uint32_t to, const Step& sent, const Step& received, bool sums) {
    Phase sender{.sums = sums, .next = {}, .previous = {}, .steps = {sent}};
    Phase receiver{.sums = sums, .next = {}, .previous = {}, .steps = {received}};
    sender.next = Neighbour{to, all_reduce::ring_step(exchange.mesh, from, to)};
    receiver.previous = Neighbour{from, all_reduce::ring_step(exchange.mesh, to, from)};
    plans[position_of(exchange, from)][index].push_back(std::move(sender));
    plans[position_of(exchange, to)][index].push_back(std::move(receiver));
}

// Whether a device's running sum is still its own input: it is in the output once it was stored.
class Sums {
public:
    [[nodiscard]] Place of(std::uint32_t device) const {
        return std::ranges::find(stored_, device) == stored_.end() ? Place::Input : Place::Output;
    }
    void store(std::uint32_t device) { stored_.push_back(device); }

private:
    std::vector<std::uint32_t> stored_;
};

void reduce_along(const Exchange& exchange, GroupPlans& plans, std::size_t index,
                  const Slice& slice, const Axis& axis, Sums& sums) {
    for (std::uint32_t distance = 1; distance < axis.size(); distance *= 2) {
        for (const Pair& pair : pairs_at(axis, distance)) {
            add_pair(exchange, plans, index, pair.far, pair.near,
                     {.receives = false,
                      .sends = true,
                      .reads = sums.of(pair.far),
                      .stores = {},
                      .slice = slice},
                     {.receives = true,
                      .sends = false,
                      .reads = sums.of(pair.near),
                      .stores = Place::Output,
                      .slice = slice},
                     true);
            sums.store(pair.near);
        }
    }
}

void broadcast_along(const Exchange& exchange, GroupPlans& plans, std::size_t index,
                     const Slice& slice, const Axis& axis) {
    std::uint32_t distance = 1;
    while (2 * distance < axis.size()) {
        distance *= 2;
    }
    for (; distance > 0; distance /= 2) {
        for (const Pair& pair : pairs_at(axis, distance)) {
            add_pair(exchange, plans, index, pair.near, pair.far,
                     {.receives = false,
                      .sends = true,
                      .reads = Place::Output,
                      .stores = {},
                      .slice = slice},
                     {.receives = true,
                      .sends = false,
                      .reads = {},
                      .stores = Place::Output,
                      .slice = slice},
                     false);
        }
    }
}

void broadcast_tree(const Exchange& exchange, GroupPlans& plans, std::size_t index,
                    const Slice& slice, const Tree& tree) {
    broadcast_along(exchange, plans, index, slice, tree.column);
    for (const Axis& row : tree.rows) {
        broadcast_along(exchange, plans, index, slice, row);
    }
}

void reduce_tree(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                 std::size_t index, const Slice& slice) {
    const Tree tree = tree_of(grid, grid.devices.front());
    Sums sums;
    for (const Axis& row : tree.rows) {
        reduce_along(exchange, plans, index, slice, row, sums);
    }
    reduce_along(exchange, plans, index, slice, tree.column, sums);
    broadcast_tree(exchange, plans, index, slice, tree);
}

// The device's own tensor, copied.
CorePlan copy_plan(const MeshSpec& mesh, std::uint32_t device, const Slice& slice) {
    const Walk walk{{device}, true};
    const std::vector<std::vector<Slice>> slices{{slice}};
    return {gather({mesh, walk, 0}, slices, Place::Input, true)};
}

// From the root to both ends of its line.
void broadcast_line(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                    std::size_t index, const Lane& lane, std::uint32_t root, const Slice& whole) {
    const Walk all =
        lane.turned(grid.shape.rows == 1 ? row_walk(grid, 0, false) : column_walk(grid, 0, false));
    const auto from = std::ranges::find(all.devices, exchange.devices[root]);
    const Walk walk{{from, all.devices.end()}, false};
    const std::vector<Slice> slices{lane.of(whole)};
    for_each_stop(exchange, plans, index, walk, [&](const Stop& stop, CorePlan& plan) {
        plan.push_back(broadcast_chain(stop, slices, Place::Input, !lane.is_backward));
    });
}

void broadcast_rows_columns(const Exchange& exchange, const GroupGrid& grid, GroupPlans& plans,
                            std::size_t index, const Lane& lane, std::uint32_t root,
                            const Slice& whole) {
    const auto place = static_cast<std::uint32_t>(
        std::ranges::find(grid.devices, exchange.devices[root]) - grid.devices.begin());
    std::vector<Slice> slices(exchange.devices.size());
    slices[root] = whole;
    const Walk row = lane.turned(row_walk(grid, place / grid.shape.columns, true));
    add_gather(exchange, plans, index, row, own_slices(exchange, row, slices, lane), Place::Input,
               true);
    for (std::uint32_t c = 0; grid.shape.rows > 1 && c < grid.shape.columns; ++c) {
        const Walk walk = lane.turned(column_walk(grid, c, true));
        add_gather(exchange, plans, index, walk,
                   in_place(row_slices(exchange, grid, walk, slices, lane)), Place::Output, false);
    }
}

}  // namespace

std::uint32_t ways_of(Travel travel) {
    return travel == Travel::Ring || travel == Travel::Tree ? 1 : 2;
}

GroupPlans all_gather_plans(const Exchange& exchange, std::span<const Slice> slices) {
    const GroupGrid grid = grid_of(exchange);
    const std::vector<Lane> lanes = lanes_of(exchange);
    GroupPlans plans = empty_plans(exchange, lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (exchange.travel == Travel::RowsColumns) {
            gather_rows_columns(exchange, grid, plans, i, lanes[i], slices);
            continue;
        }
        const bool is_line = exchange.travel == Travel::Line;
        const Walk walk = lanes[i].turned(!is_line               ? ring_walk(grid)
                                          : grid.shape.rows == 1 ? row_walk(grid, 0, false)
                                                                 : column_walk(grid, 0, false));
        add_gather(exchange, plans, i, walk, own_slices(exchange, walk, slices, lanes[i]),
                   Place::Input, !is_line || !lanes[i].is_backward);
    }
    return plans;
}

GroupPlans reduce_scatter_plans(const Exchange& exchange, std::span<const Slice> slices) {
    const GroupGrid grid = grid_of(exchange);
    const std::vector<Lane> lanes = lanes_of(exchange);
    GroupPlans plans = empty_plans(exchange, lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (exchange.travel == Travel::RowsColumns && grid.devices.size() > 1) {
            scatter_rows_columns(exchange, grid, plans, i, lanes[i], slices);
            continue;
        }
        const Walk walk = lanes[i].turned(ring_walk(grid));
        add_reduce_scatter(exchange, plans, i, walk, own_slices(exchange, walk, slices, lanes[i]),
                           Place::Input, Place::Output);
    }
    return plans;
}

GroupPlans all_reduce_plans(const Exchange& exchange, std::uint32_t bytes) {
    const GroupGrid grid = grid_of(exchange);
    // Unlike slices that all devices gather, a half is summed along a line one way and comes back.
    std::vector<Lane> lanes = lanes_of(exchange);
    for (std::uint32_t i = 0; exchange.travel == Travel::Line && i < lanes.size(); ++i) {
        lanes[i] = {i % 2 * exchange.links + i / 2, 2 * exchange.links, i % 2 != 0};
    }
    GroupPlans plans = empty_plans(exchange, lanes.size());
    const Slice whole{0, 0, bytes};
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (grid.devices.size() == 1) {
            plans[0][i] = copy_plan(exchange.mesh, grid.devices[0], lanes[i].of(whole));
        } else if (exchange.travel == Travel::RowsColumns) {
            reduce_rows_columns(exchange, grid, plans, i, lanes[i], whole);
        } else if (exchange.travel == Travel::Line) {
            reduce_line(exchange, grid, plans, i, lanes[i], whole);
        } else if (exchange.travel == Travel::Tree) {
            reduce_tree(exchange, grid, plans, i, lanes[i].of(whole));
        } else {
            reduce_ring(exchange, grid, plans, i, lanes[i], whole);
        }
    }
    return plans;
}

GroupPlans broadcast_plans(const Exchange& exchange, std::uint32_t root, std::uint32_t bytes) {
    const GroupGrid grid = grid_of(exchange);
    const std::vector<Lane> lanes = lanes_of(exchange);
    const Slice whole{0, 0, bytes};
    if (exchange.travel == Travel::Ring || exchange.travel == Travel::Bidirectional) {
        std::vector<Slice> slices(exchange.devices.size());
        slices[root] = whole;
        return all_gather_plans(exchange, slices);
    }
    GroupPlans plans = empty_plans(exchange, lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (exchange.travel == Travel::RowsColumns) {
            broadcast_rows_columns(exchange, grid, plans, i, lanes[i], root, whole);
        } else if (exchange.travel == Travel::Line) {
            broadcast_line(exchange, grid, plans, i, lanes[i], root, whole);
        } else {
            const std::uint32_t device = exchange.devices[root];
            plans[root][i] = copy_plan(exchange.mesh, device, lanes[i].of(whole));
            broadcast_tree(exchange, plans, i, lanes[i].of(whole), tree_of(grid, device));
        }
    }
    return plans;
}

}  // namespace tessera::ops::exchange
