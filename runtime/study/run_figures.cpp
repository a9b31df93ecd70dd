// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_figures.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "emu/base/input_file.hpp"
#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/timing_json.hpp"
#include "tessera/errors.hpp"

namespace tessera::compare {
namespace {

/// Returns the name of a line with its thread: pack and unpack run the same line.
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
    return std::string(kind == ResourceKind::None ? kNoResource : report::label_of(kind));
}

/// Adds `time` of a part under the name `line` of its line.
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

/// Adds a launch: its own path to its step, and its part of the run's path to the run.
void add_step(const report::LaunchReport& launch, const report::RunShare& share, RunFigures& run) {
    StepFigures step{.name = launch.name,
                     .time = launch.device_time,
                     .bound = launch.bound,
                     .of_run = share.time,
                     .ensemble = launch.ensemble,
                     .path = {}};
    for (std::size_t i = 0; i < launch.path.size(); ++i) {
        const report::PathPart& part = launch.path[i];
        const std::string line = line_name(launch, part);
        // Steps overlap, so that a step has its own path and its share of the run's.
        add(part, line, part.time, step.path);
        add(part, fmt::format("{}: {}", launch.name, line), share.path.at(i), run.path);
    }
    run.steps.push_back(std::move(step));
}

}  // namespace

void add_gaps(RunFigures& run) {
    PathFigures& path = run.path;
    for (TimeByName* times : {&path.activities, &path.lines, &path.resources, &path.bounds}) {
        Millicycles gaps = run.time.expected;
        for (const auto& [name, time] : *times) {
            gaps -= time;
        }
        // Without a path there is nothing to add up to, and "between launches" would be all of it.
        if (gaps != 0 && !times->empty()) {
            (*times)[std::string(report::kBetweenLaunches)] += gaps;
        }
    }
}

RunFigures figures_of(const report::TimingReport& report,
                      const std::vector<report::RunShare>& shares) {
    RunFigures run{.name = report.run,
                   .arch = report.arch.name,
                   .clock = report.clock,
                   .time = report.makespan,
                   .bound = report.bound,
                   .ensemble = report.ensemble};
    for (std::size_t i = 0; i < report.launches.size(); ++i) {
        add_step(report.launches[i], shares.at(i), run);
    }
    add_gaps(run);
    return run;
}

RunFigures figures_of(const report::TimingReport& report) {
    return figures_of(report, report::run_shares(report));
}

namespace {

/// Keys that figures need. Only these are read, so that reports of other versions can be compared
/// if they have them.
constexpr std::array<std::string_view, 12> kOfFigures{
    "name",           "machine.name",      "machine.clock_hz", "makespan",
    "bound",          "ensemble",          "launches.name",    "launches.device_time",
    "launches.bound", "launches.ensemble", "launches.lines",   "launches.path"};

RunFigures figures_in(const nlohmann::ordered_json& json) {
    const report::ReadReport read = report::from_json(json, kOfFigures);
    return figures_of(read.report, read.shares);
}

}  // namespace

RunFigures read_report(const std::filesystem::path& path) {
    // A folder names the report.json that --report writes into it.
    const std::filesystem::path file =
        std::filesystem::is_directory(path) ? path / "report.json" : path;
    // A report of 32 devices has 45 MB; parsed, it needs ten times as much memory.
    constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20U;
    const std::string text = read_input(file, kMostBytes);
    const auto refusal_of = [&](const std::string& found) {
        return UsageError(
            fmt::format("{}: is not a report: {}, allowed: a whole report.json that --report wrote",
                        file.string(), found));
    };
    try {
        return figures_in(nlohmann::ordered_json::parse(text));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
    } catch (const nlohmann::json::parse_error& error) {
        throw refusal_of(fmt::format("no JSON from byte {} of {} on", error.byte, text.size()));
    } catch (const std::exception&) {  // texts of the library and of at() say nothing to a user
        throw refusal_of("JSON without the keys of a report");
    }
}

}  // namespace tessera::compare
