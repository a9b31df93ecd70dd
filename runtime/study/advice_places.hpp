// SPDX-License-Identifier: Apache-2.0
// Where in a step a rule gains: the line of a kernel that what it changes is spent at most.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::advise {

/// The line that has most of the launch's critical path in these activities, as "reader.cpp:12";
/// empty if the path has none.
[[nodiscard]] std::string line_on_path(const report::LaunchReport& launch,
                                       std::span<const Activity> activities);

/// The same of what travels: the line that asked for it.
[[nodiscard]] std::string line_on_path(const report::LaunchReport& launch,
                                       std::span<const ResourceKind> resources);

/// The line whose reads the launch's critical path waits longest for; none if it waits for none.
[[nodiscard]] std::optional<report::SourceLine> line_of_reads(const report::LaunchReport& launch);
/// The same as "reader.cpp:12".
[[nodiscard]] std::string text_of_read_line(const report::LaunchReport& launch);

/// The CB that threads wait longest to be drained, and the line that waits: "CB 0, reader.cpp:12".
[[nodiscard]] std::string full_cb(const report::LaunchReport& launch);

}  // namespace tessera::advise
