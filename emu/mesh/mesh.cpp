// SPDX-License-Identifier: Apache-2.0
#include "emu/mesh/mesh.hpp"

namespace tessera {
namespace {

// Position on an axis of `length` after `step` (±hops), or nothing if it leaves an open axis.
std::optional<std::uint32_t> walk(std::uint32_t position, std::int64_t step, std::uint32_t length,
                                  bool is_closed) {
    const std::int64_t target = std::int64_t{position} + step;
    if (target >= 0 && target < length) {
        return static_cast<std::uint32_t>(target);
    }
    if (!is_closed) {
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(((target % length) + length) % length);
}

bool is_axis_closed(const MeshSpec& spec, std::uint32_t other_axis) {
    return spec.topology == Topology::Torus ||
           (spec.topology == Topology::Ring && other_axis == 1);
}

}  // namespace

Mesh::Mesh(const MeshSpec& spec, const ArchSpec& arch) : spec_(spec) {
    for (std::uint32_t id = 0; id < spec.shape.num_devices(); ++id) {
        devices_.push_back(std::make_unique<Device>(arch, id, this));
    }
}

std::optional<std::uint32_t> Mesh::neighbour(std::uint32_t from, LinkDirection direction,
                                             std::uint32_t hops) const {
    const auto [rows, columns] = spec_.shape;
    const std::uint32_t row = from / columns;
    const std::uint32_t column = from % columns;
    const bool is_forward = direction == LinkDirection::East || direction == LinkDirection::South;
    const std::int64_t step = is_forward ? std::int64_t{hops} : -std::int64_t{hops};
    if (direction == LinkDirection::East || direction == LinkDirection::West) {
        const auto target = walk(column, step, columns, is_axis_closed(spec_, rows));
        return target ? std::optional(row * columns + *target) : std::nullopt;
    }
    const auto target = walk(row, step, rows, is_axis_closed(spec_, columns));
    return target ? std::optional(*target * columns + column) : std::nullopt;
}

}  // namespace tessera
