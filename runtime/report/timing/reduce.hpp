// SPDX-License-Identifier: Apache-2.0
// Reduces timelines to a TimingReport, one launch at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emu/timing/replay.hpp"
#include "runtime/report/timing/interval_sums.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera {
struct TimingSpec;
}

namespace tessera::report {

/// Limit of stretches in a page; a browser cannot use more.
inline constexpr std::size_t kMostFocusPoints = 2'000'000;

/// Limits of the drawn part of a run. Totals, stalls and paths are always exact.
struct DrawBudget {
    std::size_t points = 500'000;     ///< intervals, over all threads and launches
    std::size_t cb_points = 150'000;  ///< changes of CB fill, over all CBs and launches
    std::size_t num_launches = 1;     ///< launches that share these limits
    std::size_t stalls = 40;          ///< for each launch
    /// Draws only this part, with all its points up to kMostFocusPoints.
    std::optional<Focus> focus = std::nullopt;
};

/// Returns the peak rates of a mesh of the machine.
[[nodiscard]] PeakRates peak_rates(const ArchSpec& arch, const TimingSpec& timing,
                                   const MeshSpec& mesh);

/// Returns a report without launches.
[[nodiscard]] TimingReport make_report(std::string run, const ArchSpec& arch,
                                       const TimingSpec& timing, const MeshSpec& mesh);

/// Reduces one launch. Without intervals (a replay that keeps totals only) there are no points,
/// stalls and path.
/// `names` are Trace::names; low and high of the makespan are set to the expected one.
/// Errors   InternalError if the totals of a thread do not add up to the makespan.
[[nodiscard]] LaunchReport reduce(const std::vector<std::string>& names, const LaunchTrace& trace,
                                  const LaunchTimeline& timeline, const timing::Machine& machine,
                                  const DrawBudget& budget = {});
/// Does the same for a timeline whose parts were summed before their intervals were dropped. `parts`
/// are in the order of their threads.
[[nodiscard]] LaunchReport reduce(const std::vector<std::string>& names, const LaunchTrace& trace,
                                  const LaunchTimeline& timeline, const timing::Machine& machine,
                                  const DrawBudget& budget,
                                  std::span<const IntervalSums* const> parts);

}  // namespace tessera::report
