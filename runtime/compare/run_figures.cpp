// SPDX-License-Identifier: Apache-2.0
#include "runtime/compare/run_figures.hpp"

#include <fmt/format.h>

#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/path_parts.hpp"

namespace tessera::compare {
namespace {

std::string line_name(const report::LaunchReport& launch, const report::PathPart& part) {
    const std::string thread =
        part.thread ? fmt::format(" ({})", report::label_of(*part.thread)) : "";
    if (part.line == 0) {
        return "no line" + thread;
    }
    const report::SourceLine& line = launch.lines.at(part.line);
    return fmt::format("{}:{}{}", line.file, line.line, thread);
}

std::string resource_name(ResourceKind kind) {
    return kind == ResourceKind::None ? "none" : std::string(report::label_of(kind));
}

}  // namespace

StepFigures figures_of(const report::LaunchReport& launch) {
    StepFigures step{.name = launch.name, .time = launch.makespan};
    for (const report::PathPart& part : launch.path) {
        step.activities[std::string(report::label_of(part.activity))] += part.time;
        step.lines[line_name(launch, part)] += part.time;
        step.resources[resource_name(part.resource)] += part.time;
        step.bounds[report::bound_name(part)] += part.time;
    }
    return step;
}

RunFigures figures_of(const report::TimingReport& report) {
    RunFigures run{.name = report.run,
                   .arch = report.arch.name,
                   .clock = report.clock,
                   .time = report.makespan};
    for (const report::LaunchReport& launch : report.launches) {
        run.steps.push_back(figures_of(launch));
    }
    return run;
}

}  // namespace tessera::compare
