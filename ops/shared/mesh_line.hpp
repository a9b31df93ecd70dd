// SPDX-License-Identifier: Apache-2.0
// The devices of a single row or column of a mesh, and the cores that talk along it.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::ops {

/// Returns whether a collective's group is the whole mesh, in the order of ids.
[[nodiscard]] inline bool is_whole_mesh(const OpContext& context) {
    const std::uint32_t devices = context.mesh.shape.num_devices();
    bool holds = context.devices.size() == devices;
    for (std::uint32_t d = 0; holds && d < devices; ++d) {
        holds = context.devices[d] == d;
    }
    return holds;
}

/// Checks the rule that is_whole_mesh() states.
inline bool judge_whole_mesh(const OpContext& context, RuleJudge& judge) {
    const std::uint32_t devices = context.mesh.shape.num_devices();
    const bool holds = is_whole_mesh(context);
    judge.require(holds, "devices",
                  fmt::format("are {} of the mesh's {}; allowed: all of them, by id",
                              context.devices.size(), devices));
    return holds;
}

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

/// Precondition   `mesh` is a single row or column.
[[nodiscard]] inline MeshLine mesh_line(const MeshSpec& mesh) {
    const auto [rows, columns] = mesh.shape;
    ensure(rows == 1 || columns == 1, "mesh_line of a mesh of {}x{} devices", rows, columns);
    const bool is_row = rows == 1;
    // Two devices have one link between them, which a ring would use twice.
    const bool is_ring =
        rows * columns > 2 && mesh_axis::is_closed(mesh.topology, is_row ? rows : columns);
    return {rows * columns, is_ring, is_row ? LinkDirection::East : LinkDirection::South,
            is_row ? LinkDirection::West : LinkDirection::North};
}

/// Returns whether the group is the whole mesh, a single row or column.
[[nodiscard]] inline bool is_mesh_line(const OpContext& context) {
    const auto [rows, columns] = context.mesh.shape;
    return is_whole_mesh(context) && (rows == 1 || columns == 1);
}

/// Checks the rule of collectives along a line, as is_mesh_line() states it.
inline void judge_line(const OpContext& context, RuleJudge& judge) {
    judge_whole_mesh(context, judge);
    const auto [rows, columns] = context.mesh.shape;
    judge.require(
        rows == 1 || columns == 1, "devices",
        fmt::format("are a mesh of {}x{}; allowed: a single row or column", rows, columns));
}

/// Number of cores that communicate along the line: `workers` for each link and direction. A lane
/// has one core per direction; lanes of a link are consecutive.
struct Lanes {
    std::uint32_t links = 1;
    std::uint32_t workers = 1;

    [[nodiscard]] std::uint32_t count() const noexcept { return links * workers; }
    [[nodiscard]] std::uint32_t link_of(std::uint32_t lane) const noexcept {
        return lane / workers;
    }
};

/// Part of `units` that one lane handles; lanes have contiguous ranges.
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

/// Returns the core of `lane` in direction `way`, row by row.
[[nodiscard]] inline CoreCoord line_core(const ArchSpec& arch, std::uint32_t lane, Way way) {
    const std::uint32_t index = 2 * lane + (way == Way::Backward ? 1 : 0);
    const std::uint32_t columns = arch.workers.compute.columns;
    return {index % columns, index / columns};
}

/// Calls act(core, way, lane) for both cores of each lane.
template <typename Act>
void for_each_line_core(const ArchSpec& arch, Lanes lanes, Act act) {
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
        for (const Way way : {Way::Forward, Way::Backward}) {
            act(line_core(arch, lane, way), way, lane);
        }
    }
}

/// Returns both cores of each lane.
[[nodiscard]] inline CoreRangeSet line_cores(const ArchSpec& arch, Lanes lanes) {
    std::vector<CoreRange> ranges;
    for_each_line_core(arch, lanes,
                       [&](CoreCoord core, Way, std::uint32_t) { ranges.emplace_back(core); });
    return CoreRangeSet(ranges);
}

/// Checks the number of cores that send along a line. A violation names the parameter `links` or
/// `workers`.
inline void judge_lanes(const ArchSpec& arch, Lanes lanes, RuleJudge& judge) {
    const bool has_links = lanes.links >= 1 && lanes.links <= kLinksPerDirection;
    judge.require(has_links, "links",
                  fmt::format("is {}; a direction has 1 to {}", lanes.links, kLinksPerDirection));
    const std::uint32_t cores = arch.workers.compute.columns * arch.workers.compute.rows;
    const bool has_cores = !has_links || 2 * lanes.links <= cores;
    judge.require(has_cores, "links",
                  fmt::format("{} both ways take {} cores; {} has {}", lanes.links, 2 * lanes.links,
                              arch.name, cores));
    const std::uint64_t taken = std::uint64_t{2} * lanes.links * lanes.workers;
    judge.require(!has_links || !has_cores || (lanes.workers >= 1 && taken <= cores), "workers",
                  fmt::format("{} for each of {} links take {} cores; 1 to {} are possible on {}",
                              lanes.workers, lanes.links, taken,
                              has_links ? cores / 2 / lanes.links : 0, arch.name));
}

}  // namespace tessera::ops
