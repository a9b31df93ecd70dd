// SPDX-License-Identifier: Apache-2.0
// A group of devices as rows and columns, and walks over it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/exchange/plan.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::ops::exchange {

/// The devices of a group in rows and columns. A group of all devices that some rows and columns of
/// the mesh share has those rows and columns. Any other group is a single row: the mesh's rows in
/// order, every second one reversed, so that a step seldom passes a third device.
struct GroupGrid {
    MeshShape shape;                     ///< rows and columns of the group
    std::vector<std::uint32_t> devices;  ///< ids, row by row
    bool is_of_mesh = true;              ///< its rows and columns are those of the mesh

    [[nodiscard]] std::uint32_t at(std::uint32_t row, std::uint32_t column) const {
        return devices[row * shape.columns + column];
    }
};

/// Precondition   no device is listed twice.
[[nodiscard]] GroupGrid group_grid(const MeshSpec& mesh, std::span<const std::uint32_t> devices);
/// Checks that its rows and columns are those of the mesh; a violation names `devices`.
/// @returns whether it holds.
bool judge_rows_and_columns(const OpContext& context, RuleJudge& judge);

/// Returns all devices of the group in a ring, as make_ring walks a mesh of the group's shape.
[[nodiscard]] Walk ring_walk(const GroupGrid& grid);
/// Returns all of them in a line: row by row, every second row backwards.
[[nodiscard]] Walk line_walk(const GroupGrid& grid);
/// Returns one row or column of the group, as a ring or as a line.
[[nodiscard]] Walk row_walk(const GroupGrid& grid, std::uint32_t row, bool is_closed);
[[nodiscard]] Walk column_walk(const GroupGrid& grid, std::uint32_t column, bool is_closed);

}  // namespace tessera::ops::exchange
