// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/tree.hpp"

#include <algorithm>
#include <set>

namespace tessera::ops::exchange {
namespace {

// Devices of an axis of a tree by their distance from the root, nearest first.
using Axis = std::vector<std::uint32_t>;

Axis turned_to(std::vector<std::uint32_t> devices, std::uint32_t root) {
    std::rotate(devices.begin(), devices.begin() + root, devices.end());
    return devices;
}

// A pair of a tree: the device near to the root and the one `distance` farther.
struct Pair {
    std::uint32_t near;
    std::uint32_t far;
};

// Pairs of one axis at one distance.
std::vector<Pair> pairs_at(const Axis& axis, std::uint32_t distance) {
    std::vector<Pair> pairs;
    const auto size = static_cast<std::uint32_t>(axis.size());
    // Pairs of one distance are disjoint, so all of them work at the same time.
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

Tree tree_of(const LanePlans& lane, std::uint32_t root) {
    const GroupGrid& grid = lane.grid();
    const std::uint32_t row = lane.place_of(root) / grid.shape.columns;
    const std::uint32_t column = lane.place_of(root) % grid.shape.columns;
    Tree tree;
    for (std::uint32_t r = 0; r < grid.shape.rows; ++r) {
        // Rotated to the root, so index 0 is the root on every axis.
        tree.rows.push_back(turned_to(row_walk(grid, r, false).devices, column));
    }
    tree.column = turned_to(column_walk(grid, column, false).devices, row);
    return tree;
}

// Place of each device's running sum: its own input, until it has stored one.
class RunningSums {
public:
    [[nodiscard]] Place of(std::uint32_t device) const {
        return stored_.contains(device) ? Place::Workspace : Place::Input;
    }
    void store(std::uint32_t device) { stored_.insert(device); }

private:
    std::set<std::uint32_t> stored_;
};

// Sums wait in the workspace for the next pair; `last` is the destination of the axis' last pair's
// sum.
void reduce_along(LanePlans& lane, const Slice& slice, const Axis& axis, Place last,
                  RunningSums& sums) {
    // Distances double: after each round half of the devices hold the sums of two.
    for (std::uint32_t distance = 1; distance < axis.size(); distance *= 2) {
        const bool is_last = 2 * distance >= axis.size();
        for (const auto& [near, far] : pairs_at(axis, distance)) {
            lane.add_pair(far, near,
                          {.receives = false,
                           .sends = true,
                           .reads = sums.of(far),
                           .stores = {},
                           .slice = slice},
                          {.receives = true,
                           .sends = false,
                           .reads = sums.of(near),
                           .stores = is_last ? last : Place::Workspace,
                           .slice = slice},
                          true);
            // After this, the near device's sum is in the workspace, not in its input.
            sums.store(near);
        }
    }
}

void broadcast_along(LanePlans& lane, const Slice& slice, const Axis& axis) {
    // The largest distance comes first, so each round doubles the number of sources.
    std::uint32_t distance = 1;
    while (2 * distance < axis.size()) {
        distance *= 2;
    }
    for (; distance > 0; distance /= 2) {
        for (const auto& [near, far] : pairs_at(axis, distance)) {
            lane.add_pair(near, far,
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

}  // namespace

void reduce_tree(LanePlans& lane, const Slice& slice) {
    const std::uint32_t root = lane.grid().devices.front();
    const Tree tree = tree_of(lane, root);
    const bool has_column = tree.column.size() > 1;
    RunningSums sums;
    for (const Axis& row : tree.rows) {
        // Sums of rows wait for the column, if there is one.
        reduce_along(lane, slice, row, has_column ? Place::Workspace : Place::Output, sums);
    }
    reduce_along(lane, slice, tree.column, Place::Output, sums);
    broadcast_tree(lane, root, slice);
}

void broadcast_tree(LanePlans& lane, std::uint32_t root, const Slice& slice) {
    const Tree tree = tree_of(lane, root);
    broadcast_along(lane, slice, tree.column);
    for (const Axis& row : tree.rows) {
        broadcast_along(lane, slice, row);
    }
}

}  // namespace tessera::ops::exchange
