// SPDX-License-Identifier: Apache-2.0
// Sums of the critical path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/report/timing/line_table.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Time of the path by thread kind, line, activity and resource, largest first, and the path's
/// stretches, with neighbours of one thread and part joined.
struct SummedPath {
    std::vector<PathPart> parts;
    std::vector<PathStretch> stretches;
};
[[nodiscard]] SummedPath sum_path(const LaunchTimeline& timeline, const LineTable& lines);

/// Sorts parts by time, largest first, and renumbers the stretches.
void sort_path(std::vector<PathPart>& parts, std::vector<PathStretch>& stretches);

/// Share of the makespan with its name.
struct BoundShare {
    std::string name;
    Millicycles time = 0;
};

/// Name of the time that belongs to no launch.
inline constexpr std::string_view kBetweenLaunches = "between launches";

/// Returns the name of a part's bound: the resource's, or the activity's.
[[nodiscard]] std::string bound_name(const PathPart& part);

/// Returns the sums of parts by bound_name, largest first, without empty ones.
[[nodiscard]] std::vector<BoundShare> bounds_of(const std::vector<PathPart>& parts);
/// Returns the sums for the run's path (run_path.hpp), with kBetweenLaunches for the time that
/// belongs to no launch.
[[nodiscard]] std::vector<BoundShare> bounds_of(const TimingReport& report);

}  // namespace tessera::report
