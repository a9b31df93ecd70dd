// SPDX-License-Identifier: Apache-2.0
// What comparing two timed runs needs of each: times of its steps, and what they were spent on.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "tessera/units.hpp"

namespace tessera::compare {

/// Time by a name: of an activity, a line or a resource.
using TimeByName = std::map<std::string, Millicycles>;

/// A critical path by what it is spent on. Each map adds up to the path; all are empty where it is
/// not known.
struct PathFigures {
    TimeByName activities;  ///< "matmul", "wait for CB data"
    TimeByName lines;       ///< "ops/moe_bmm/kernels/reader.cpp:41 (reader)"
    TimeByName resources;   ///< "DRAM"; "none" where nothing travelled
    TimeByName bounds;      ///< the resource, or the activity where nothing travelled
};

/// One launch.
struct StepFigures {
    std::string name;
    PredictedTime time;
    Millicycles of_run = 0;     ///< its share of the run, in which launches may overlap
    report::Ensemble ensemble;  ///< of the time
    PathFigures path;
};

struct RunFigures {
    std::string name;
    std::string arch;
    Hertz clock;
    PredictedTime time;
    report::Ensemble ensemble;  ///< of the time
    /// Of the run, in which launches may overlap: of each launch the part that decides the run's
    /// time, lines headed by its name, and "between launches".
    PathFigures path;
    std::vector<StepFigures> steps;
};

/// Adds what no launch accounts for: to be called once, after the last step.
void add_gaps(RunFigures& run);

/// Sums up a run's paths; `shares` say what of the run's lies in each launch.
[[nodiscard]] RunFigures figures_of(const report::TimingReport& report,
                                    const std::vector<report::RunShare>& shares);
[[nodiscard]] RunFigures figures_of(const report::TimingReport& report);

/// Reads `report.json`, or the one in a folder that --report wrote.
/// Errors   UsageError naming the file: it cannot be read, is no report, or one of another version.
[[nodiscard]] RunFigures read_report(const std::filesystem::path& path);

}  // namespace tessera::compare
