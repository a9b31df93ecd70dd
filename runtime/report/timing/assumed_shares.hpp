// SPDX-License-Identifier: Apache-2.0
// How much of a run's time rests on constants that nobody publishes.
#pragma once

#include <vector>

#include "runtime/config/resolved.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// The parts of the critical path that at least one assumed constant of `timing:` prices, with
/// those constants, largest first; of a part that several activities share, the time of those that
/// they price. A part may be priced by others too: its time is the most that the assumed ones can
/// carry.
[[nodiscard]] std::vector<AssumedShare> assumed_shares(const TimingReport& report,
                                                       const config::Resolved& resolved);

}  // namespace tessera::report
