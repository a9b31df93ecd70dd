// SPDX-License-Identifier: Apache-2.0
// The texts of the kernels that a report names lines of.
#pragma once

#include <filesystem>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Each file that lines of the report name, once, in the order of their names: as a path, or below
/// `folder`, which holds the shipped kernels. Those that are not there, and long ones, are left
/// out: a trace may come from another host.
[[nodiscard]] std::vector<SourceText> source_texts(const TimingReport& report,
                                                   const std::filesystem::path& folder);

}  // namespace tessera::report
