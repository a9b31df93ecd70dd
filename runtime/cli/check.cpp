// SPDX-License-Identifier: Apache-2.0
// tessera check: does what run, sweep, tune and moe profile do before the first kernel, and ends.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/run.hpp"
#include "runtime/cli/sweep.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "runtime/study/run_sweep.hpp"
#include "runtime/study/tuning_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct CheckOptions {
    RunOptions run;
    SweepPlaces places;
    bool json = false;
    bool quiet = false;
};

/// Points of a sweep.
struct CheckedPoints {
    std::size_t num_points = 0;
    std::vector<config::ImpossibleKind> impossible;
};

constexpr std::array kOfRuns{"--inputs",        "--state",       "--tuned",    "--outputs",
                             "--trace",         "--report",      "--focus",    "--kernel",
                             "--each-constant", "--timing-only", "--no-timing"};
constexpr std::array kOfSweeps{"--out", "--cache", "--table"};

// An option of another command would be ignored without a message.
void refuse_given(const CLI::App& command, std::span<const char* const> options,
                  const std::string& config, const char* kind, const char* other) {
    for (const char* option : options) {
        require(command.get_option(option)->count() == 0, "{}: is {}; {} is an option of {}",
                config, kind, option, other);
    }
}

/// Checks each recording that the sweep would make. One recording serves all points that share its
/// values.
void check_points(const config::LoadedSweep& sweep) {
    const auto checks = sweep.sweep.values ? sweep::Checks::Compared : sweep::Checks::Ignored;
    std::set<std::string> recordings;
    for (const config::SweepPoint& point : sweep.points) {
        const bool is_new = point.impossible.empty() &&
                            recordings.insert(recording_key(point.loaded, checks)).second;
        if (is_new) {
            pipeline::check_before_run(point.loaded,
                                       sweep.sweep.values
                                           ? pipeline::RunModes{}
                                           : pipeline::timing_only(point.loaded.pipeline),
                                       {});
        }
    }
}

/// Checks the configuration. Returns the points if it is a sweep.
std::optional<CheckedPoints> checked(const CLI::App& command, const CheckOptions& options,
                                     const Console& console) {
    const ConfigOptions& config = options.run.config;
    if (!config::is_sweep(find_config(config.config))) {
        refuse_given(command, kOfSweeps, config.config, "one run", "sweeps");
        check_run(options.run, console);
        return std::nullopt;
    }
    refuse_given(command, kOfRuns, config.config, "a sweep", "runs");
    const config::LoadedSweep sweep = open_sweep(config, options.places);
    if (options.places.table) {
        const tuning::TuningTable table(*options.places.table);
    }
    check_points(sweep);
    return CheckedPoints{sweep.points.size(), impossible_kinds(sweep)};
}

std::size_t num_impossible(const CheckedPoints& points) {
    std::size_t number = 0;
    for (const config::ImpossibleKind& kind : points.impossible) {
        number += kind.num_points;
    }
    return number;
}

std::string ok_text(const std::string& config, const std::optional<CheckedPoints>& points) {
    std::string text = config + ": ok";
    if (points) {
        text += fmt::format(", {} points", points->num_points);
        if (!points->impossible.empty()) {
            text += fmt::format(", {} of them impossible:{}", num_impossible(*points),
                                to_text(points->impossible));
        }
    }
    return text + '\n';
}

std::string ok_json(const std::string& config, const std::optional<CheckedPoints>& points) {
    nlohmann::ordered_json json{{"schema", "tessera.check"}, {"config", config}, {"verdict", "ok"}};
    if (points) {
        json["points"] = points->num_points;
        json["impossible"] = nlohmann::ordered_json::array();
        for (const config::ImpossibleKind& kind : points->impossible) {
            json["impossible"].push_back({{"points", kind.num_points}, {"reason", kind.reason}});
        }
    }
    return json.dump(2) + '\n';
}

}  // namespace

Command add_check(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("check", "Check all that run or sweep checks before the first kernel");
    auto options = std::make_shared<CheckOptions>();
    add_checked_options(*command, options->run);
    add_sweep_places(*command, options->places);
    command->add_option("--table", options->places.table, "Table of choices of tessera tune")
        ->type_name("FILE");
    auto* json = command->add_flag("--json", options->json, "Print the answer as JSON");
    command->add_flag("--quiet", options->quiet, "Print mistakes only")->excludes(json);
    command->footer(
        "Takes the options with which run, sweep or tune compute; --json and --quiet are its\n"
        "own. Prints `CONFIG: ok`, or every mistake with its file, line and column, and then\n"
        "ends with 2. For a sweep it names the reason for each kind of impossible point. Kernels\n"
        "are not compiled: their compile errors show in the run.");
    return {
        command, [command, options, &console] {
            const auto points = checked(*command, *options, console);
            const std::string& config = options->run.config.config;
            if (!options->quiet) {
                console.out << (options->json ? ok_json(config, points) : ok_text(config, points));
            }
            return ExitCode::Success;
        }};
}

}  // namespace tessera::cli
