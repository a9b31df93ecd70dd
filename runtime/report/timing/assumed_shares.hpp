// SPDX-License-Identifier: Apache-2.0
// Finds the part of a run's time that depends on constants without a published value.
#pragma once

#include <vector>

#include "runtime/config/resolved.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Returns the parts of the critical path that at least one assumed constant of `timing:` prices,
/// largest first, with those of these constants that the replays read. If several activities share
/// a part, only the time of the priced ones counts. Other constants may price the same time, so a
/// part's time is an upper bound.
[[nodiscard]] std::vector<AssumedShare> assumed_shares(const TimingReport& report,
                                                       const config::Resolved& resolved);

}  // namespace tessera::report
