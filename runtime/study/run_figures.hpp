// SPDX-License-Identifier: Apache-2.0
// Figures of a timed run for comparisons: times of its steps, and the parts of their critical
// paths.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "tessera/units.hpp"

namespace tessera::compare {

/// Time by the name of an activity, a line or a resource.
using TimeByName = std::map<std::string, Millicycles>;

/// Name of the time in which nothing travels and kernels run or start. The name is part of the JSON
/// of `compare`; text and page show words.
inline constexpr std::string_view kNoResource = "none";

/// Critical path by its parts. Each map adds up to the path; all are empty if the path is unknown.
struct PathFigures {
    TimeByName activities;  ///< "matmul", "wait for CB data"
    TimeByName lines;       ///< "ops/moe_bmm/kernels/reader.cpp:41 (reader)"
    TimeByName resources;   ///< "DRAM"; kNoResource if nothing travelled
    TimeByName bounds;      ///< the resource, or the activity if nothing travelled
};

/// One launch.
struct StepFigures {
    std::string name;
    PredictedTime time;
    std::optional<report::Bound> bound;  ///< of the time
    Millicycles of_run = 0;              ///< its share of the run, in which launches may overlap
    report::Ensemble ensemble;           ///< of the time
    PathFigures path;
};

struct RunFigures {
    std::string name;
    std::string arch;
    Hertz clock;
    PredictedTime time;
    std::optional<report::Bound> bound;  ///< of the time
    report::Ensemble ensemble;           ///< of the time
    /// Path of the run, in which launches may overlap: the part of each launch that bounds the
    /// run's time, with lines prefixed by its name, and "between launches".
    PathFigures path;
    std::vector<StepFigures> steps;
};

/// Adds the time that belongs to no launch. Called once, after the last step.
void add_gaps(RunFigures& run);

/// Returns the figures of a run; `shares` are the parts of the run's path in each launch.
[[nodiscard]] RunFigures figures_of(const report::TimingReport& report,
                                    const std::vector<report::RunShare>& shares);
[[nodiscard]] RunFigures figures_of(const report::TimingReport& report);

/// Reads `report.json`, or the one in a folder that --report wrote.
/// Errors   UsageError naming the file if it cannot be read, is not a report, or has another
///          version.
[[nodiscard]] RunFigures read_report(const std::filesystem::path& path);

}  // namespace tessera::compare
