// SPDX-License-Identifier: Apache-2.0
// Finds why a launch took as long as it did: from its end back, through what ended each wait.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Returns the steps from 0 to the makespan, without a gap. They lead to the thread that ended last
/// (the first of these). A wait is replaced by what ended it: the transit of a transfer by
/// resource, then what its issuer did before. None if they lead into a stretch whose intervals were
/// pruned (path_pruning.hpp).
/// Precondition   intervals were kept.
[[nodiscard]] std::vector<PathStep> critical_path(const LaunchTimeline& timeline);

/// A line's share of the critical path; of transits, the line that sent what travelled.
struct LineShare {
    std::uint32_t kernel = 0;  ///< index into Trace::names
    TraceSite site;            ///< {0, 0}: no line
    Millicycles time = 0;
};

/// The critical path by what it was spent on: activities and resources together are the makespan,
/// and so are the lines.
struct PathShares {
    std::array<Millicycles, kNumActivities> activities{};  ///< of steps that are no transit
    std::array<Millicycles, kNumResourceKinds> resources{};
    std::vector<LineShare> lines;  ///< longest first
};

/// Sums the launch's critical path by activity, resource and line.
[[nodiscard]] PathShares shares_of(const LaunchTimeline& timeline);

}  // namespace tessera::timing
