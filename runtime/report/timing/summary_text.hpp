// SPDX-License-Identifier: Apache-2.0
// A run on one screen: what is read first. run_text.hpp and timing_text.hpp have the rest.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Columns of a summary in a pipe, which has no width of its own.
inline constexpr std::size_t kSummaryWidth = 100;

/// A row per step (cycles, its part of the run, cores, check, what bounds it), at most twelve:
/// those that failed and those that take longest; then the makespan, what it is spent on, and the
/// two worst waits; last, what is not shown. `record` is null for a trace that is timed again,
/// `timing` for a run without timing; one of them is not.
[[nodiscard]] std::string summary_text(const RunRecord* record, const TimingReport* timing,
                                       const TextStyle& style);

}  // namespace tessera::report
