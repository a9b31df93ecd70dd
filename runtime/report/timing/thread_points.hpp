// SPDX-License-Identifier: Apache-2.0
// A thread's intervals, few enough to be drawn.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

struct ThreadPoints {
    /// `line` holds the interval's site and `cause` its index in the timeline: the caller renames.
    std::vector<TimelinePoint> points;
    Millicycles merged_below = 0;  ///< 0: all intervals are there
};

/// All intervals if there are at most `limit`; else intervals shorter than 2 · makespan / `limit`
/// are merged with their neighbours into stretches of about that length, under the activity that
/// takes most of the stretch (of two that take as much, the first). At most 2 · `limit` + 1 points.
[[nodiscard]] ThreadPoints draw_points(std::span<const Interval> intervals, std::size_t limit);

}  // namespace tessera::report
