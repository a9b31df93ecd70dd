// SPDX-License-Identifier: Apache-2.0
// The files of --report.
#pragma once

#include <filesystem>

#include "runtime/config/resolved.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Refuses, before a run, a folder that write_report could not write to.
/// Errors   UsageError as report::require_places.
void require_report_places(const std::filesystem::path& directory);

/// Writes report.json, report.html and trace.perfetto.json to `directory`, which is created. Each
/// is written beside its place and renamed, all three only after all are complete: a failure leaves
/// older files as they were. `run` is null where no kernel ran (retime).
/// Errors   UsageError naming the path if a folder or file cannot be made.
void write_report(const std::filesystem::path& directory, const TimingReport& report,
                  const config::Resolved& resolved, const RunRecord* run);

}  // namespace tessera::report
