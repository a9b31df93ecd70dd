// SPDX-License-Identifier: Apache-2.0
// Sums over the intervals of a launch's parts, so that the intervals of a part can be dropped as
// soon as it is replayed. Only drawings need the intervals themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/report/timing/line_table.hpp"
#include "runtime/report/timing/stalls.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Sums over a part. Identical devices share them: all times but `end` and the worst stalls are
/// independent of the part's start.
struct IntervalSums {
    Millicycles end = 0;                       ///< of the part, from the start of its replay
    std::vector<std::uint64_t> num_intervals;  ///< by thread, without the time after its end
    LineTable lines;                           ///< of the part
    std::vector<LineTime> line_times;          ///< by index in `lines`
    std::vector<StallRow> stalls;              ///< by first wait; their lines are those in `lines`
};

/// Whether stalls are summed; sweeps do not report them.
enum class Stalls : std::uint8_t { Summed, Ignored };

/// Sums the intervals of a part, or of a whole timeline.
/// `names` are Trace::names.
[[nodiscard]] IntervalSums sum_intervals(const std::vector<std::string>& names,
                                         const LaunchTimeline& part, Stalls stalls);

/// Sums of a launch.
struct LaunchSums {
    std::vector<std::uint64_t> num_intervals;  ///< by thread
    std::vector<LineTime> line_times;          ///< by index in the launch's lines
    std::vector<StallReport> stalls;           ///< largest first
};

/// Joins the sums of a launch's parts, which are in the order of their threads.
/// Precondition   each part of several is one device.
[[nodiscard]] LaunchSums join_sums(const LaunchTimeline& timeline, const LineTable& lines,
                                   std::span<const IntervalSums* const> parts,
                                   std::size_t most_stalls);

}  // namespace tessera::report
