// SPDX-License-Identifier: Apache-2.0
// The critical path of a run, from those of its launches. On a mesh launches overlap, since each
// device begins its next program when its own last one has ended: a launch decides the run's time
// from the moment when all launches before it have ended.
#pragma once

#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// A part of a launch, in the launch's own time.
struct LaunchWindow {
    Millicycles from = 0;
    Millicycles until = 0;
};

/// By launch: what of the run it decides. Windows and the gaps between them add up to the run.
[[nodiscard]] std::vector<LaunchWindow> launch_windows(const TimingReport& report);

/// Parts of the launch's path inside a window, as LaunchReport::path has them; some may be 0.
[[nodiscard]] std::vector<PathPart> path_in(const LaunchReport& launch, const LaunchWindow& window);

/// The run's path: those of all launches, each inside its window.
[[nodiscard]] std::vector<PathPart> path_of_run(const TimingReport& report);

/// The run's path by regime: of each launch what its window takes of its time, and launch for what
/// no launch accounts for.
[[nodiscard]] timing::RegimeTimes regimes_of(const TimingReport& report);

/// What of the run's path lies in a launch.
struct RunShare {
    Millicycles time = 0;              ///< length of the launch's window
    std::vector<Millicycles> path;     ///< by part of LaunchReport::path
    std::vector<Millicycles> threads;  ///< by thread of LaunchReport::threads
};
/// By launch.
[[nodiscard]] std::vector<RunShare> run_shares(const TimingReport& report);

}  // namespace tessera::report
