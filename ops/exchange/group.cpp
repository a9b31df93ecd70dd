// SPDX-License-Identifier: Apache-2.0
#include "ops/exchange/group.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "ops/all_reduce/ring.hpp"

namespace tessera::ops::exchange {

std::optional<GroupGrid> group_grid(const MeshSpec& mesh, std::span<const std::uint32_t> devices) {
    std::set<std::uint32_t> rows;
    std::set<std::uint32_t> columns;
    const std::set<std::uint32_t> members(devices.begin(), devices.end());
    for (const std::uint32_t device : devices) {
        rows.insert(device / mesh.shape.columns);
        columns.insert(device % mesh.shape.columns);
    }
    // As many as places, and no place outside: each is taken once.
    if (members.size() != devices.size() || devices.size() != rows.size() * columns.size()) {
        return std::nullopt;
    }
    return GroupGrid{
        {static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(columns.size())},
        {members.begin(), members.end()}};
}

bool judge_group(const OpContext& context, RuleJudge& judge) {
    const bool holds = group_grid(context.mesh, context.devices).has_value();
    judge.require(holds, "devices",
                  fmt::format("[{}] are not all devices of some rows and columns of the mesh of "
                              "{}x{}; packets travel along one row or column",
                              fmt::join(context.devices, ", "), context.mesh.shape.rows,
                              context.mesh.shape.columns));
    return holds;
}

void judge_line_group(const OpContext& context, RuleJudge& judge) {
    const auto grid = group_grid(context.mesh, context.devices);
    if (grid) {
        const auto [rows, columns] = grid->shape;
        judge.require(
            rows == 1 || columns == 1, "devices",
            fmt::format("are {}x{} of the mesh; a line is a single row or column", rows, columns));
    }
}

Walk ring_walk(const GroupGrid& grid) {
    Walk walk{{}, true};
    if (grid.devices.size() == 1) {
        walk.devices = grid.devices;
        return walk;
    }
    for (const std::uint32_t place : all_reduce::ring_order(grid.shape)) {
        walk.devices.push_back(grid.devices[place]);
    }
    return walk;
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
