// SPDX-License-Identifier: Apache-2.0
// The critical path, added up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/report/timing/line_table.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Steps of the path by thread kind, line, activity and resource, largest first, and its stretches
/// with neighbours of one thread and part joined.
struct SummedPath {
    std::vector<PathPart> parts;
    std::vector<PathStretch> stretches;
};
[[nodiscard]] SummedPath sum_path(const LaunchTimeline& timeline, const LineTable& lines);

/// A share of the makespan under a name.
struct BoundShare {
    std::string name;
    Millicycles time = 0;
};

/// The share of what no launch accounts for.
inline constexpr std::string_view kBetweenLaunches = "between launches";

/// What a part of the path is spent on: the resource's name, or the activity's.
[[nodiscard]] std::string bound_name(const PathPart& part);

/// Parts by bound_name, largest first; those of no time are left out.
[[nodiscard]] std::vector<BoundShare> bounds_of(const std::vector<PathPart>& parts);
/// Of the run, as run_path.hpp has it; what no launch accounts for is kBetweenLaunches.
[[nodiscard]] std::vector<BoundShare> bounds_of(const TimingReport& report);

}  // namespace tessera::report
