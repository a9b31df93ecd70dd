// SPDX-License-Identifier: Apache-2.0
// Writes the files of --report.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "runtime/config/resolved.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Checks before a run that write_report will be able to write to the folder.
/// Errors   UsageError as report::require_places.
void require_report_places(const std::filesystem::path& directory);

/// Writes report.json, report.html and trace.perfetto.json to `directory`, which is created. The
/// files are written under temporary names and renamed when all are complete; a failure leaves
/// older files unchanged. `run` is null if no kernel ran (retime).
/// Errors   UsageError naming the path if a folder or file cannot be made.
void write_report(const std::filesystem::path& directory, const TimingReport& report,
                  const config::Resolved& resolved, const RunRecord* run);

/// Limits of a Perfetto file.
struct PerfettoBounds {
    std::size_t slices = 150'000;  ///< the longest are kept
    std::size_t flows = 20'000;    ///< flows of the longest waits are kept
};

/// Returns a trace for Perfetto:
///   - one process per core with a track per kernel thread and a counter per CB;
///   - one process per device with counters of the load of its busiest NoC links, DRAM banks and
///     mesh links, each the mean over a launch;
///   - flows from the event that ended a wait to that wait.
/// Times are microseconds at the device's clock. Parts that the report does not draw are omitted.
/// Source   "Trace Event Format" of the Chromium project: events X, C, M, s, f.
[[nodiscard]] std::string perfetto_trace(const TimingReport& report,
                                         const PerfettoBounds& bounds = {});

}  // namespace tessera::report
