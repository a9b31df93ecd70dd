// SPDX-License-Identifier: Apache-2.0
// Critical path of a launch: the walk back from its end, through the cause that ended each wait.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Returns the steps from 0 to the makespan, without a gap, of the first thread that ended last. A
/// wait is replaced by its cause: the transit of a transfer by resource, then the acts of its
/// issuer. Returns no steps if the walk comes to pruned intervals (path_pruning.hpp).
/// Precondition   intervals were kept.
[[nodiscard]] std::vector<PathStep> critical_path(const LaunchTimeline& timeline);

/// A line's share of the critical path. A transit counts for the line that sent the transfer.
struct LineShare {
    std::uint32_t kernel = 0;  ///< index into Trace::names
    TraceSite site;            ///< {0, 0}: no line
    Millicycles time = 0;
};

/// Critical path by activity, resource and line. Activities and resources together add up to the
/// makespan, and so do the lines.
struct PathShares {
    std::array<Millicycles, kNumActivities> activities{};  ///< steps other than transits
    std::array<Millicycles, kNumResourceKinds> resources{};
    std::vector<LineShare> lines;  ///< longest first
};

/// Sums the launch's critical path by activity, resource and line.
[[nodiscard]] PathShares shares_of(const LaunchTimeline& timeline);

}  // namespace tessera::timing
