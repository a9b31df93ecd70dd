// SPDX-License-Identifier: Apache-2.0
// Bounds of the launches of a run, and of the run.
#pragma once

#include <span>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Sets the bounds of the report's launches and of the run from the least work of each launch on
/// each device. Launches after the last of `work` have none, as those of a run that failed.
void note_bounds(std::span<const std::vector<LeastWork>> work, TimingReport& report);

}  // namespace tessera::report
