// SPDX-License-Identifier: Apache-2.0
// A group of devices as rows and columns of a mesh, and walks over it along straight runs of links.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ops/exchange/plan.hpp"
#include "ops/op.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::ops::exchange {

/// The devices that some rows and some columns of a mesh share, in their order.
struct GroupGrid {
    MeshShape shape;                     ///< rows and columns of the group
    std::vector<std::uint32_t> devices;  ///< ids, row by row

    [[nodiscard]] std::uint32_t at(std::uint32_t row, std::uint32_t column) const {
        return devices[row * shape.columns + column];
    }
};

/// None if the group is not all devices of some rows and columns.
[[nodiscard]] std::optional<GroupGrid> group_grid(const MeshSpec& mesh,
                                                  std::span<const std::uint32_t> devices);
/// The rule that it is, blamed on `devices`.
/// @returns whether it holds.
bool judge_group(const OpContext& context, RuleJudge& judge);
/// The rule that the group lies in one row or column, blamed on `devices`.
void judge_line_group(const OpContext& context, RuleJudge& judge);

/// All devices of the group in a ring, as all_reduce::make_ring walks a mesh of the group's shape.
[[nodiscard]] Walk ring_walk(const GroupGrid& grid);
/// One row or column of the group as a ring, or the group as a line, by coordinate.
[[nodiscard]] Walk row_walk(const GroupGrid& grid, std::uint32_t row, bool is_closed);
[[nodiscard]] Walk column_walk(const GroupGrid& grid, std::uint32_t column, bool is_closed);

}  // namespace tessera::ops::exchange
