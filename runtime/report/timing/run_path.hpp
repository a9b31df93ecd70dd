// SPDX-License-Identifier: Apache-2.0
// Critical path of a run, composed of the paths of its launches. On a mesh launches overlap, since
// each device starts its next program when its own previous one has ended. A launch bounds the
// run's time from the moment at which all launches before it have ended.
#pragma once

#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Part of a launch, in the launch's own time.
struct LaunchWindow {
    Millicycles from = 0;
    Millicycles until = 0;
};

/// Returns, for each launch, the window in which it bounds the run. Windows and the gaps between
/// them add up to the run.
[[nodiscard]] std::vector<LaunchWindow> launch_windows(const TimingReport& report);

/// Returns the parts of a launch's path inside a window, in the order of LaunchReport::path; some
/// may be 0.
[[nodiscard]] std::vector<PathPart> path_in(const LaunchReport& launch, const LaunchWindow& window);

/// Returns the run's path: the paths of all launches, each inside its window.
[[nodiscard]] std::vector<PathPart> path_of_run(const TimingReport& report);

/// Returns the run's path by regime: each launch's times, scaled to its window, and the regime
/// launch for time that belongs to no launch.
[[nodiscard]] timing::RegimeTimes regimes_of(const TimingReport& report);

/// Part of the run's path inside a launch.
struct RunShare {
    Millicycles time = 0;              ///< length of the launch's window
    std::vector<Millicycles> path;     ///< by part of LaunchReport::path
    std::vector<Millicycles> threads;  ///< by thread of LaunchReport::threads
};
/// Returns the run's path by launch.
[[nodiscard]] std::vector<RunShare> run_shares(const TimingReport& report);

}  // namespace tessera::report
