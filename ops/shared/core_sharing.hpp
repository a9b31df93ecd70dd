// SPDX-License-Identifier: Apache-2.0
// Cores that share a unit of work and send to each other: when a schedule may choose them, and how
// programs name them.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/shared/work_share.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"

namespace tessera::ops {

/// Returns whether a schedule may choose that cores send to each other. A step with a stated grid
/// may be moved (`first_core`), which such a program cannot be: its cores share work only if asked
/// to.
[[nodiscard]] constexpr bool may_choose_sharing(GridSize grid) {
    return grid == GridSize{};
}

/// Returns the cores of all teams.
[[nodiscard]] inline CoreRangeSet set_of(const std::vector<std::vector<CoreCoord>>& teams) {
    std::vector<CoreRange> ranges;
    for (const std::vector<CoreCoord>& team : teams) {
        for (const CoreCoord core : team) {
            ranges.emplace_back(core, core);
        }
    }
    return CoreRangeSet(ranges);
}

/// Returns the x and y of all cores on the NoC, team by team, as arguments of a kernel that sends.
[[nodiscard]] inline std::vector<std::uint32_t> places_of(
    const ArchSpec& arch, const std::vector<std::vector<CoreCoord>>& teams) {
    std::vector<std::uint32_t> places;
    for (const std::vector<CoreCoord>& team : teams) {
        for (const CoreCoord core : team) {
            const CoreCoord place = on_noc(arch, core);
            places.push_back(static_cast<std::uint32_t>(place.x));
            places.push_back(static_cast<std::uint32_t>(place.y));
        }
    }
    return places;
}

/// Returns all cores that run kernels.
[[nodiscard]] inline CoreRangeSet whole_grid(const ArchSpec& arch) {
    const GridSize grid = arch.workers.compute;
    return CoreRangeSet{CoreRange{{0, 0}, {grid.columns - 1, grid.rows - 1}}};
}

}  // namespace tessera::ops
