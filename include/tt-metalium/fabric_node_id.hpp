// SPDX-License-Identifier: Apache-2.0
// Identifier of a device in the fabric.
#pragma once

#include <fmt/ostream.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

#include "tt-metalium/stl.hpp"

namespace tt::tt_fabric {

using MeshId = ttsl::StrongType<std::uint32_t, struct MeshIdTag>;

/// Identifier of a device: its mesh, which is always 0, and its number in the mesh.
class FabricNodeId {
public:
    explicit FabricNodeId(MeshId mesh, std::uint32_t chip) : mesh_id(mesh), chip_id(chip) {}
    MeshId mesh_id{0};
    std::uint32_t chip_id = 0;
    friend auto operator<=>(const FabricNodeId&, const FabricNodeId&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const FabricNodeId& node) {
        return stream << "(M" << node.mesh_id << ", D" << node.chip_id << ")";
    }
};

}  // namespace tt::tt_fabric

template <>
struct std::hash<tt::tt_fabric::FabricNodeId> {
    std::size_t operator()(const tt::tt_fabric::FabricNodeId& node) const noexcept {
        return std::size_t{node.mesh_id.get()} << 32U | node.chip_id;
    }
};
template <>
struct fmt::formatter<tt::tt_fabric::FabricNodeId> : fmt::ostream_formatter {};
