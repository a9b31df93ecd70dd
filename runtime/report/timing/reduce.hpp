// SPDX-License-Identifier: Apache-2.0
// From timelines to a TimingReport, one launch at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {

/// A page with more stretches than this is of no use.
inline constexpr std::size_t kMostFocusPoints = 2'000'000;

/// How much of a run is kept to be drawn. Totals, stalls and paths are exact all the same.
struct DrawBudget {
    std::size_t points = 500'000;     ///< intervals, over all threads and launches
    std::size_t cb_points = 150'000;  ///< changes of CB fill, over all CBs and launches
    std::size_t num_launches = 1;     ///< launches that share these
    std::size_t stalls = 40;          ///< of each launch
    /// Draws this alone, with as many points as it takes, up to kMostFocusPoints.
    std::optional<Focus> focus = std::nullopt;
};

/// Peaks of a mesh of the machine.
[[nodiscard]] PeakRates peak_rates(const ArchSpec& arch, const TimingSpec& timing,
                                   const MeshSpec& mesh);

/// A report without launches.
[[nodiscard]] TimingReport make_report(std::string run, const ArchSpec& arch,
                                       const TimingSpec& timing, const MeshSpec& mesh);

/// Reduces one launch. Without intervals (a replay that keeps totals only) there are no points,
/// stalls and path.
/// `names` are Trace::names; low and high of the makespan are set to the expected one.
/// Errors   InternalError if the totals of a thread do not add up to the makespan.
[[nodiscard]] LaunchReport reduce(const std::vector<std::string>& names, const LaunchTrace& trace,
                                  const LaunchTimeline& timeline, const ArchSpec& arch,
                                  const TimingSpec& timing, const MeshSpec& mesh,
                                  const DrawBudget& budget = {});

}  // namespace tessera::report
