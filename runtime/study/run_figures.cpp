// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_figures.hpp"

#include <fmt/format.h>

#include <numeric>

#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/run_path.hpp"

namespace tessera::compare {
namespace {

constexpr const char* kBetween = "between launches";

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

/// Adds `time` of a part, whose line goes by `line`.
void add(const report::PathPart& part, const std::string& line, Millicycles time,
         PathFigures& path) {
    if (time == 0) {
        return;
    }
    path.activities[std::string(report::label_of(part.activity))] += time;
    path.lines[line] += time;
    path.resources[resource_name(part.resource)] += time;
    path.bounds[report::bound_name(part)] += time;
}

}  // namespace

void add_step(const report::LaunchReport& launch, const std::vector<RunPart>& parts,
              RunFigures& run) {
    StepFigures step{.name = launch.name, .time = launch.device_time};
    for (const RunPart& part : parts) {
        const std::string line = line_name(launch, part.part);
        add(part.part, line, part.part.time, step.path);
        add(part.part, fmt::format("{}: {}", launch.name, line), part.time_of_run, run.path);
    }
    run.steps.push_back(std::move(step));
}

void add_gaps(RunFigures& run) {
    PathFigures& path = run.path;
    for (TimeByName* times : {&path.activities, &path.lines, &path.resources, &path.bounds}) {
        Millicycles gaps = run.time.expected;
        for (const auto& [name, time] : *times) {
            gaps -= time;
        }
        if (gaps != 0 && !times->empty()) {
            (*times)[kBetween] += gaps;
        }
    }
}

RunFigures figures_of(const report::TimingReport& report) {
    RunFigures run{.name = report.run,
                   .arch = report.arch.name,
                   .clock = report.clock,
                   .time = report.makespan};
    const auto windows = report::launch_windows(report);
    for (std::size_t i = 0; i < report.launches.size(); ++i) {
        const report::LaunchReport& launch = report.launches[i];
        const std::vector<report::PathPart> in_run = report::path_in(launch, windows.at(i));
        std::vector<RunPart> parts;
        for (std::size_t part = 0; part < launch.path.size(); ++part) {
            parts.push_back({launch.path[part], in_run.at(part).time});
        }
        add_step(launch, parts, run);
    }
    add_gaps(run);
    return run;
}

}  // namespace tessera::compare
