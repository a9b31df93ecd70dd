// SPDX-License-Identifier: Apache-2.0
// What comparing two timed runs needs of each: times of its steps, and what they were spent on.
#pragma once

#include <map>
#include <string>
#include <vector>

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
    report::PredictedTime time;
    PathFigures path;
};

struct RunFigures {
    std::string name;
    std::string arch;
    Hertz clock;
    report::PredictedTime time;
    /// Of the run, in which launches may overlap: of each launch the part that decides the run's
    /// time, lines headed by its name, and "between launches".
    PathFigures path;
    std::vector<StepFigures> steps;
};

/// A part of a launch's path, and how much of it is on the run's.
struct RunPart {
    report::PathPart part;
    Millicycles time_of_run = 0;
};
/// Adds a launch to the run: its own path, and to the run's what of it is there.
void add_step(const report::LaunchReport& launch, const std::vector<RunPart>& parts,
              RunFigures& run);
/// Adds what no launch accounts for: to be called once, after the last step.
void add_gaps(RunFigures& run);

[[nodiscard]] RunFigures figures_of(const report::TimingReport& report);

}  // namespace tessera::compare
