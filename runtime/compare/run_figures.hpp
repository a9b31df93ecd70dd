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

/// One launch. The four maps are its critical path, each adding up to the expected time; they are
/// empty where the path is not known.
struct StepFigures {
    std::string name;
    report::PredictedTime time;
    TimeByName activities;  ///< "matmul", "wait for CB data"
    TimeByName lines;       ///< "ops/moe_bmm/kernels/reader.cpp:41 (reader)"
    TimeByName resources;   ///< "DRAM"; "none" where nothing travelled
    TimeByName bounds;      ///< the resource, or the activity where nothing travelled
};

struct RunFigures {
    std::string name;
    std::string arch;
    Hertz clock;
    report::PredictedTime time;
    std::vector<StepFigures> steps;
};

[[nodiscard]] StepFigures figures_of(const report::LaunchReport& launch);
[[nodiscard]] RunFigures figures_of(const report::TimingReport& report);

}  // namespace tessera::compare
