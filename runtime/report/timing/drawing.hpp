// SPDX-License-Identifier: Apache-2.0
// Decides which threads and CBs of a launch are drawn and how finely, and makes their points.
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
    /// Drawn part of the launch; all before it is one stretch, and all after it another.
    Millicycles from = 0;
    Millicycles to = std::numeric_limits<Millicycles>::max();
};

/// Gives threads on the critical path several times as many points as others, and draws whole
/// cores. If the budget is too small for all, it draws the cores with the largest part of the path,
/// and of equal ones those that finish last. A focus draws only its cores, with equal points.
/// Preconditions  `threads` have their `on_path` and `finish`.
[[nodiscard]] DrawPlan plan_drawing(const std::vector<ThreadReport>& threads,
                                    const LaunchTrace& trace, const LaunchTimeline& timeline,
                                    const DrawBudget& budget);

struct ThreadPoints {
    /// `line` is the interval's site and `cause` its index in the timeline; the caller maps both.
    std::vector<TimelinePoint> points;
    Millicycles merged_below = 0;  ///< 0: nothing was merged
};

/// Keeps all intervals if there are at most `limit`. Otherwise intervals shorter than 2 · makespan
/// / `limit` are merged with their neighbours into stretches of about that length. The activity of
/// a stretch is the one with the most time, the first of equal ones. At most 2 · `limit` + 1
/// points.
[[nodiscard]] ThreadPoints draw_points(std::span<const Interval> intervals, std::size_t limit);

/// As draw_points, for the intervals between two times. The intervals before are one stretch, those
/// after another.
[[nodiscard]] ThreadPoints draw_window(std::span<const Interval> intervals, std::size_t limit,
                                       Millicycles from, Millicycles to);

/// Draws the fill of a CB over time. `core` of the level is kept; `capacity` comes from the core's
/// CBs. If there are more than `limit` changes, a change nearer than makespan / `limit` to the
/// previous point raises that point instead.
[[nodiscard]] CbSeries cb_series(const CbLevel& level, const CoreTrace& core, Millicycles makespan,
                                 std::size_t limit);

}  // namespace tessera::report
