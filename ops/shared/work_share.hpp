// SPDX-License-Identifier: Apache-2.0
// The contiguous share of an op's units that each core takes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/errors.hpp"
#include "tessera/work_split.hpp"

namespace tessera::ops {

/// Units [first, first + count) of one core.
struct WorkShare {
    CoreCoord core;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

struct SharedWork {
    CoreRangeSet cores;
    std::vector<WorkShare> shares;  ///< in the split's order: down the columns
};

/// Returns why the device cannot give a schedule this grid, or an empty text if it can.
[[nodiscard]] inline std::string grid_fault(const ArchSpec& arch, GridSize requested) {
    const GridSize whole = arch.workers.compute;
    const auto is_within = [](std::uint32_t side, std::uint32_t most) {
        return side >= 1 && side <= most;
    };
    if (requested == GridSize{} ||
        (is_within(requested.columns, whole.columns) && is_within(requested.rows, whole.rows))) {
        return {};
    }
    return fmt::format(
        "[{}, {}] is not part of the {}'s grid; allowed: [0, 0], which is all of it, "
        "or [1, 1] to [{}, {}]",
        requested.columns, requested.rows, arch.name, whole.columns, whole.rows);
}

/// Returns the grid a schedule asks for; 0×0 means every core the device offers to programs.
/// Errors   UsageError if the device has fewer columns or rows, or one of the two is 0.
[[nodiscard]] inline CoreCoord schedule_grid(std::string_view op, const ArchSpec& arch,
                                             GridSize requested) {
    const std::string fault = grid_fault(arch, requested);
    require(fault.empty(), "{}: grid {}", op, fault);
    const GridSize grid = requested == GridSize{} ? arch.workers.compute : requested;
    return {grid.columns, grid.rows};
}

/// Returns the coordinate by which kernels name a core in NoC addresses.
[[nodiscard]] inline CoreCoord on_noc(const ArchSpec& arch, CoreCoord core) {
    const CoreCoord origin = arch.workers.virtual_origin;
    return {origin.x + core.x, origin.y + core.y};
}

/// Checks the grid of a schedule; a violation names its parameter `grid`.
/// @returns whether it holds.
inline bool judge_grid(const ArchSpec& arch, GridSize requested, RuleJudge& judge) {
    const std::string fault = grid_fault(arch, requested);
    judge.require(fault.empty(), "grid", fault);
    return fault.empty();
}

/// Checks a schedule's depth of circular buffers; a violation names its parameter `cb_depth`.
inline void judge_depth(std::uint32_t cb_depth, RuleJudge& judge) {
    judge.require(cb_depth > 0, "cb_depth", "is 0; allowed: at least 1");
}

/// Deals `units` to the cores of a schedule's grid with split_work_to_cores.
[[nodiscard]] inline SharedWork share_work(std::string_view op, const ArchSpec& arch,
                                           GridSize requested, std::uint32_t units) {
    const auto [num_cores, all, group_1, group_2, per_core_1, per_core_2] =
        split_work_to_cores(schedule_grid(op, arch, requested), units);
    SharedWork work{all, {}};
    std::uint32_t first = 0;
    for (const CoreCoord& core : corerange_to_cores(all, num_cores)) {
        const std::uint32_t count = group_1.contains(core) ? per_core_1 : per_core_2;
        work.shares.push_back({core, first, count});
        first += count;
    }
    return work;
}

}  // namespace tessera::ops
