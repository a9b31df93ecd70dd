// SPDX-License-Identifier: Apache-2.0
// Opens an argument of tessera compare: a report, a trace or a run configuration.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/cli/progress_line.hpp"
#include "runtime/config/override.hpp"
#include "runtime/study/recorded_run.hpp"
#include "runtime/study/run_figures.hpp"

namespace tessera::cli {

/// Figures of a report, or a trace with the machine to time it on.
using ComparedRun = std::variant<compare::RunFigures, compare::RecordedRun>;

/// Opens a run to compare:
/// - a folder or a .json file as a report;
/// - a .yaml file, or a name that is not a file, as a run configuration, which runs without
///   computing values;
/// - any other file as a trace, which is timed on the device on which it was recorded.
///
/// `sets` replace values of configurations, and numbers of the devices of traces as load_device
/// does. `progress` shows the running steps and the trace being read, and counts the replays of the
/// returned run. It must outlive that run.
/// Errors   UsageError if there are `sets` for a report; UsageError, ConfigError and KernelError of
///          reading and running.
[[nodiscard]] ComparedRun open_run(const std::string& argument,
                                   const std::vector<config::Override>& sets,
                                   ProgressLine& progress);

/// Returns a line that names the tensors that the runs drew, since configurations run without
/// values (report::drawn_text); empty if there are none.
[[nodiscard]] std::string drawn_note(std::span<const ComparedRun> runs);

}  // namespace tessera::cli
