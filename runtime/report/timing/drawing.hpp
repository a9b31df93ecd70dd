// SPDX-License-Identifier: Apache-2.0
// Decides what of a launch is drawn, which threads and CBs and how finely, and makes their points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/report/timing/reduce.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Counts points for each thread and each CB level of a launch; 0: not drawn.
struct DrawPlan {
    std::vector<std::size_t> threads;
    std::vector<std::size_t> cbs;
    bool leaves_out = false;
    /// Of the launch: what begins or ends outside of it is one stretch before it and one behind.
    Millicycles from = 0;
    Millicycles to = std::numeric_limits<Millicycles>::max();
};

/// Gives threads on the critical path several times as many points as others, and draws whole
/// cores. Where the budget is too small for all, the cores that have most of the path, and of equal
/// ones those that finish last, are drawn. A focus draws its cores alone, all alike.
/// Preconditions  `threads` have their `on_path` and `finish`.
[[nodiscard]] DrawPlan plan_drawing(const std::vector<ThreadReport>& threads,
                                    const LaunchTrace& trace, const LaunchTimeline& timeline,
                                    const DrawBudget& budget);

struct ThreadPoints {
    /// `line` holds the interval's site and `cause` its index in the timeline: the caller renames.
    std::vector<TimelinePoint> points;
    Millicycles merged_below = 0;  ///< 0: all intervals are there
};

/// Keeps all intervals if there are at most `limit`; else those shorter than 2 · makespan / `limit`
/// are merged with their neighbours into stretches of about that length, under the activity that
/// takes most of the stretch (of two that take as much, the first). At most 2 · `limit` + 1 points.
[[nodiscard]] ThreadPoints draw_points(std::span<const Interval> intervals, std::size_t limit);

/// The same of the intervals between two times; those before make one stretch, those behind, too.
[[nodiscard]] ThreadPoints draw_window(std::span<const Interval> intervals, std::size_t limit,
                                       Millicycles from, Millicycles to);

/// Draws the fill of a CB over time. `core` of the level is kept; `capacity` comes from the core's
/// CBs. If there are more than `limit` changes, those nearer than makespan / `limit` to the point
/// before raise it instead.
[[nodiscard]] CbSeries cb_series(const CbLevel& level, const CoreTrace& core, Millicycles makespan,
                                 std::size_t limit);

}  // namespace tessera::report
