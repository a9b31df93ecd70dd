// SPDX-License-Identifier: Apache-2.0
// Groups of 1 to 32 devices: rows, columns, meshes, and lists without such a form.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/ops/collectives/group_run.hpp"

namespace tessera::testing {

/// Whether a group consists of all devices of some rows and columns of its mesh.
enum class Form { RowsAndColumns, Any };

struct Group {
    std::string name;
    MeshSpec mesh;
    std::vector<std::uint32_t> devices;
    Form form = Form::RowsAndColumns;
};
inline void PrintTo(const Group& group, std::ostream* out) {
    *out << group.name;
}

inline Group whole(const std::string& name, MeshShape shape, Topology topology) {
    const MeshSpec mesh{shape, topology, "wormhole_n150"};
    return {name, mesh, all_of(mesh), Form::RowsAndColumns};
}

inline const std::vector<Group> kGroups{
    whole("OneDevice", {1, 1}, Topology::Line),
    whole("TwoOnALine", {1, 2}, Topology::Line),
    whole("ThreeInAColumn", {3, 1}, Topology::Line),
    whole("FiveOnARing", {1, 5}, Topology::Ring),
    whole("EightOnARing", {1, 8}, Topology::Torus),
    whole("TwoByThree", {2, 3}, Topology::Line),
    whole("ThreeByThreeTorus", {3, 3}, Topology::Torus),
    {"EverySecondOfARow", {{2, 6}, Topology::Torus, "wormhole_n150"}, {6, 8, 10}},
    {"CornersOfAMesh", {{3, 4}, Topology::Line, "wormhole_n150"}, {0, 3, 8, 11}},
    {"ColumnOfATorus", {{4, 3}, Topology::Torus, "wormhole_n150"}, {10, 1, 4, 7}},
    {"TwoOnADiagonal", {{2, 2}, Topology::Line, "wormhole_n150"}, {3, 0}, Form::Any},
    {"DiagonalOfAMesh", {{3, 3}, Topology::Line, "wormhole_n150"}, {0, 4, 8}, Form::Any},
    {"BoxWithAHole",
     {{3, 3}, Topology::Torus, "wormhole_n150"},
     {0, 1, 2, 3, 5, 6, 7, 8},
     Form::Any},
    {"ListOfThirteen",
     {{4, 8}, Topology::Torus, "wormhole_n150"},
     {31, 0, 5, 7, 12, 13, 14, 20, 21, 22, 26, 3, 17},
     Form::Any},
    whole("ThirtyTwo", {4, 8}, Topology::Torus),
};

}  // namespace tessera::testing
