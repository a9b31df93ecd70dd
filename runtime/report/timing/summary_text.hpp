// SPDX-License-Identifier: Apache-2.0
// Summary of a run on one screen. run_text.hpp and timing_text.hpp have the details.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Width of a summary in a pipe, in columns.
inline constexpr std::size_t kSummaryWidth = 100;

/// Returns a row per step (cycles, share of the run, cores, check, bound), at most twelve: failed
/// steps and the longest ones. Then follow the makespan, its bounds, the two worst waits, and what
/// is not shown. `record` is null for a retimed trace, `timing` for a run without timing; not both
/// are null.
[[nodiscard]] std::string summary_text(const RunRecord* record, const TimingReport* timing,
                                       const TextStyle& style);

}  // namespace tessera::report
