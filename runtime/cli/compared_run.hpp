// SPDX-License-Identifier: Apache-2.0
// What an argument of tessera compare names: a report, a trace or a run configuration.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runtime/cli/progress_line.hpp"
#include "runtime/study/recorded_run.hpp"
#include "runtime/study/run_figures.hpp"

namespace tessera::cli {

/// Figures of a report, or a trace with the machine to time it on.
using ComparedRun = std::variant<compare::RunFigures, compare::RecordedRun>;

/// Opens a folder or a .json file as a report; a .yaml file, or a name that is no file, as a run
/// configuration, which is run without computing values; any other file as a trace, timed on the
/// device that it was recorded on. `sets` replace values of configurations, and numbers of the
/// devices of traces as load_device does. Errors   UsageError if there are `sets` for a report;
/// UsageError, ConfigError and KernelError of
///          reading and running. `progress` shows the steps that run and the trace that is read,
///          and counts the replays of what is returned; it must outlive that.
[[nodiscard]] ComparedRun open_run(const std::string& argument,
                                   const std::vector<std::string>& sets, ProgressLine& progress);

}  // namespace tessera::cli
