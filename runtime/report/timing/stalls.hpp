// SPDX-License-Identifier: Apache-2.0
// Waits of a launch's threads by line, object and the line that ends the wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/report/timing/line_table.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Stall with the number that tells its object from those of other stalls of the same lines.
struct StallRow {
    StallReport stall;
    std::uint32_t object = 0;
};

/// Returns the stalls of a timeline, by their first wait; none without intervals.
[[nodiscard]] std::vector<StallRow> stall_rows(const LaunchTimeline& timeline,
                                               const LineTable& lines);

/// Sum of the stalls of a launch's parts. Added in the order of their threads, they give the rows
/// of the whole timeline.
class StallSum {
public:
    /// Adds a row of a part. Its lines are those of the launch.
    void add(StallRow row);
    /// Returns the `limit` largest stalls by `direct`, then by `total`.
    [[nodiscard]] std::vector<StallReport> worst(std::size_t limit) &&;

private:
    std::map<std::array<std::uint64_t, 2>, std::size_t> known_;
    std::vector<StallReport> stalls_;  ///< by first wait
};

}  // namespace tessera::report
