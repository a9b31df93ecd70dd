// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/group.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "ops/shared/exchange/ring.hpp"

namespace tessera::ops::exchange {
namespace {

using Devices = std::vector<std::uint32_t>;

// Turns every second run of devices that `are_of_one_row` round. Runs are counted, not rows: a mesh
// row without a device of the group does not break the back and forth.
template <typename AreOfOneRow>
Devices back_and_forth(Devices devices, AreOfOneRow are_of_one_row) {
    bool is_backward = false;
    for (auto begin = devices.begin(); begin != devices.end();) {
        const auto end = std::find_if(begin, devices.end(), [&](std::uint32_t device) {
            return !are_of_one_row(*begin, device);
        });
        // Every second run is reversed, so consecutive devices are neighbours in the mesh.
        if (is_backward) {
            std::reverse(begin, end);
        }
        is_backward = !is_backward;
        begin = end;
    }
    return devices;
}

}  // namespace

GroupGrid group_grid(const MeshSpec& mesh, std::span<const std::uint32_t> devices) {
    const std::uint32_t width = mesh.shape.columns;
    std::set<std::uint32_t> rows;
    std::set<std::uint32_t> columns;
    for (const std::uint32_t device : devices) {
        rows.insert(device / width);
        columns.insert(device % width);
    }
    Devices sorted(devices.begin(), devices.end());
    std::ranges::sort(sorted);
    // The group has as many devices as places and none is outside, so each place is taken once. A
    // group that is not a rectangle has no rows and columns; it is walked as one line.
    if (devices.size() == rows.size() * columns.size()) {
        return {
            {static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(columns.size())},
            std::move(sorted),
            true};
    }
    const auto size = static_cast<std::uint32_t>(devices.size());
    return {
        {1, size},
        back_and_forth(std::move(sorted),
                       [&](std::uint32_t a, std::uint32_t b) { return a / width == b / width; }),
        false};
}

bool judge_rows_and_columns(const OpContext& context, RuleJudge& judge) {
    const bool holds = group_grid(context.mesh, context.devices).is_of_mesh;
    judge.require(holds, "devices",
                  fmt::format("[{}] are not all devices of some rows and columns of the mesh of "
                              "{}x{}, which rows_columns takes",
                              fmt::join(context.devices, ", "), context.mesh.shape.rows,
                              context.mesh.shape.columns));
    return holds;
}

Walk ring_walk(const GroupGrid& grid) {
    Walk walk{{}, true};
    // A ring of one device has no links and no steps.
    if (grid.devices.size() == 1) {
        walk.devices = grid.devices;
        return walk;
    }
    // The order is a Hamiltonian cycle of the mesh if one side is even, so each step is one hop.
    for (const std::uint32_t place : ring_order(grid.shape)) {
        walk.devices.push_back(grid.devices[place]);
    }
    return walk;
}

Walk line_walk(const GroupGrid& grid) {
    if (grid.shape.columns == 1) {
        return {grid.devices, false};
    }
    const auto row_of = [&](std::uint32_t device) {
        return (std::ranges::find(grid.devices, device) - grid.devices.begin()) /
               grid.shape.columns;
    };
    return {back_and_forth(grid.devices, [&](std::uint32_t a,
                                             std::uint32_t b) { return row_of(a) == row_of(b); }),
            false};
}

Walk row_walk(const GroupGrid& grid, std::uint32_t row, bool is_closed) {
    Walk walk{{}, is_closed};
    for (std::uint32_t column = 0; column < grid.shape.columns; ++column) {
        walk.devices.push_back(grid.at(row, column));
    }
    return walk;
}

Walk column_walk(const GroupGrid& grid, std::uint32_t column, bool is_closed) {
    Walk walk{{}, is_closed};
    for (std::uint32_t row = 0; row < grid.shape.rows; ++row) {
        walk.devices.push_back(grid.at(row, column));
    }
    return walk;
}

}  // namespace tessera::ops::exchange
