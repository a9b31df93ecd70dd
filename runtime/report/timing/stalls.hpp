// SPDX-License-Identifier: Apache-2.0
// Waits of a launch's threads by line, object and the line that ends the wait.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/report/timing/line_table.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Returns the `limit` largest stalls by `direct`, then by `total`; none without intervals.
[[nodiscard]] std::vector<StallReport> worst_stalls(const LaunchTimeline& timeline,
                                                    const LineTable& lines, std::size_t limit);

}  // namespace tessera::report
