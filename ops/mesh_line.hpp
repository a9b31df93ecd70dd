// SPDX-License-Identifier: Apache-2.0
// The devices of a single row or column of a mesh, and the cores that talk along it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ops/expect_tensor.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

enum class Way : std::uint8_t { Forward, Backward };
[[nodiscard]] constexpr Way opposite(Way way) noexcept {
    return way == Way::Forward ? Way::Backward : Way::Forward;
}

/// The devices of the mesh as one line, by id, and whether its ends are joined.
struct MeshLine {
    std::uint32_t devices = 1;
    bool is_ring = false;
    LinkDirection forward = LinkDirection::East;
    LinkDirection backward = LinkDirection::West;

    [[nodiscard]] LinkDirection direction(Way way) const noexcept {
        return way == Way::Forward ? forward : backward;
    }
};

/// Errors   UsageError if the mesh is no single row or column.
[[nodiscard]] inline MeshLine mesh_line(std::string_view op, const MeshSpec& mesh) {
    const auto [rows, columns] = mesh.shape;
    require(rows == 1 || columns == 1,
            "{}: a mesh of {}x{} devices; it must be a single row or column", op, rows, columns);
    const bool is_row = rows == 1;
    // Two devices have one link between them, which a ring would use twice.
    const bool is_ring =
        rows * columns > 2 && mesh_axis::is_closed(mesh.topology, is_row ? rows : columns);
    return {rows * columns, is_ring, is_row ? LinkDirection::East : LinkDirection::South,
            is_row ? LinkDirection::West : LinkDirection::North};
}

/// How many cores talk along the line: `workers` for each link of each direction. A lane is one
/// core each way; lanes of a link follow each other.
struct Lanes {
    std::uint32_t links = 1;
    std::uint32_t workers = 1;

    [[nodiscard]] std::uint32_t count() const noexcept { return links * workers; }
    [[nodiscard]] std::uint32_t link_of(std::uint32_t lane) const noexcept {
        return lane / workers;
    }
};

/// What one lane handles of `units` that are dealt out in contiguous ranges.
struct LaneShare {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};
[[nodiscard]] inline LaneShare lane_share(std::uint32_t units, Lanes lanes, std::uint32_t lane) {
    const auto begin_of = [&](std::uint64_t index) {
        return static_cast<std::uint32_t>(units * index / lanes.count());
    };
    return {begin_of(lane), begin_of(lane + 1) - begin_of(lane)};
}

/// Core of `lane` in direction `way`, row by row.
[[nodiscard]] inline CoreCoord line_core(const ArchSpec& arch, std::uint32_t lane, Way way) {
    const std::uint32_t index = 2 * lane + (way == Way::Backward ? 1 : 0);
    const std::uint32_t columns = arch.workers.compute.columns;
    return {index % columns, index / columns};
}

/// Both cores of each lane.
[[nodiscard]] inline CoreRangeSet line_cores(const ArchSpec& arch, Lanes lanes) {
    std::vector<CoreRange> ranges;
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
        ranges.emplace_back(line_core(arch, lane, Way::Forward));
        ranges.emplace_back(line_core(arch, lane, Way::Backward));
    }
    return CoreRangeSet(ranges);
}

/// Errors   UsageError if there are not so many links in a direction, no workers, or not two cores
///          for each lane.
inline void check_lanes(std::string_view op, const ArchSpec& arch, Lanes lanes) {
    const std::uint32_t cores = arch.workers.compute.columns * arch.workers.compute.rows;
    require(lanes.links >= 1 && lanes.links <= kLinksPerDirection,
            "{}: the schedule uses {} links of a direction; 1 to {} are possible", op, lanes.links,
            kLinksPerDirection);
    require(lanes.workers >= 1 && 2 * lanes.count() <= cores,
            "{}: the schedule has {} workers for each of {} links, which take {} cores; 1 to {} "
            "workers are possible on {}",
            op, lanes.workers, lanes.links, 2 * lanes.count(), cores / 2 / lanes.links, arch.name);
}

/// Checks one tensor for each device, interleaved in that device's memory.
/// Errors   UsageError naming the tensor that is missing or not as `expected`.
inline void check_one_each(std::string_view op, std::string_view name, std::uint32_t devices,
                           std::span<const DeviceTensor> tensors, const TensorSpec& expected) {
    require(tensors.size() == devices,
            "{}: {} tensors {}; the mesh has {} devices, each with one of them", op, tensors.size(),
            name, devices);
    for (std::uint32_t d = 0; d < devices; ++d) {
        expect_tensor(op, fmt::format("{} of device {}", name, d), tensors[d], expected);
        const Buffer& buffer = tensors[d].buffer;
        require(buffer.device == d && !buffer.shard,
                "{}: {} at place {} is on device {}{}; it must be on device {}, interleaved", op,
                name, d, buffer.device, buffer.shard ? ", sharded" : "", d);
    }
}

}  // namespace tessera::ops
