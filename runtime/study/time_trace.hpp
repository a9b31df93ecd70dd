// SPDX-License-Identifier: Apache-2.0
// Times a recorded trace without running a kernel.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/recorded_run.hpp"
#include "runtime/study/run_timer.hpp"

namespace tessera::config {
struct LoadedArch;
}

namespace tessera::timed_run {

/// Returns the device's machine with the mesh of a trace.
[[nodiscard]] TimedMachine machine_of(const config::LoadedArch& device, const MeshSpec& mesh);

/// Replays the launches of a trace file one by one.
/// Errors   UsageError as TraceReader and timing::replay.
[[nodiscard]] report::TimingReport time_trace_file(const std::filesystem::path& path,
                                                   const config::LoadedArch& device,
                                                   const TimerOptions& options,
                                                   OnReplayed on_replayed = {});

/// Replays the trace of a recorded run under each machine, in parallel. Reports have the order of
/// `timers`.
/// Errors   UsageError that names the trace's file, if it was read from one and is corrupt.
[[nodiscard]] std::vector<report::TimingReport> time_trace(const compare::RecordedRun& run,
                                                           std::span<RunTimer> timers);

}  // namespace tessera::timed_run
