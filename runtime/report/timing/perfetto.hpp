// SPDX-License-Identifier: Apache-2.0
// trace.perfetto.json: a timed run for ui.perfetto.dev and other readers of Chrome's trace events.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// What a file may hold.
struct PerfettoBounds {
    std::size_t slices = 150'000;  ///< the longest are kept
    std::size_t flows = 20'000;    ///< those of the longest waits are kept
};

/// One process per core with a track per kernel thread and a counter per CB; one process per device
/// with counters of the load of its busiest NoC links, DRAM banks and mesh links, each the mean
/// over a launch; flows from what ended a wait to that wait. Times are microseconds at the device's
/// clock. What the report does not draw is left out.
/// Source   "Trace Event Format" of the Chromium project: events X, C, M, s, f.
[[nodiscard]] std::string perfetto_trace(const TimingReport& report,
                                         const PerfettoBounds& bounds = {});

}  // namespace tessera::report
