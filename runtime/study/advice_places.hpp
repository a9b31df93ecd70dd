// SPDX-License-Identifier: Apache-2.0
// Finds the place in a step at which a rule gains: the kernel line with most of the changed time.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::advise {

/// Returns the line with most of the launch's critical path in these activities, as
/// "reader.cpp:12"; empty if the path has none.
[[nodiscard]] std::string line_on_path(const report::LaunchReport& launch,
                                       std::span<const Activity> activities);

/// Returns the line whose transfers have most of the launch's critical path in these resources.
[[nodiscard]] std::string line_on_path(const report::LaunchReport& launch,
                                       std::span<const ResourceKind> resources);

/// Returns the line for whose reads the launch's critical path waits longest; none if it waits for
/// no reads.
[[nodiscard]] std::optional<report::SourceLine> line_of_reads(const report::LaunchReport& launch);
/// Returns line_of_reads() as "reader.cpp:12".
[[nodiscard]] std::string text_of_read_line(const report::LaunchReport& launch);

/// Returns the CB for whose space threads wait longest, and the waiting line: "CB 0,
/// reader.cpp:12".
[[nodiscard]] std::string full_cb(const report::LaunchReport& launch);

}  // namespace tessera::advise
