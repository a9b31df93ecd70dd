// SPDX-License-Identifier: Apache-2.0
// tessera check: does what run, sweep, tune and moe profile do before the first kernel, and ends.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <ostream>
#include <set>
#include <span>
#include <string>

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

/// Checks the configuration. Returns a text about its points if it is a sweep, else an empty text.
std::string checked(const CLI::App& command, const CheckOptions& options, const Console& console) {
    const ConfigOptions& config = options.run.config;
    if (!config::is_sweep(find_config(config.config))) {
        refuse_given(command, kOfSweeps, config.config, "one run", "sweeps");
        check_run(options.run, console);
        return "";
    }
    refuse_given(command, kOfRuns, config.config, "a sweep", "runs");
    const config::LoadedSweep sweep = open_sweep(config, options.places);
    if (options.places.table) {
        const tuning::TuningTable table(*options.places.table);
    }
    check_points(sweep);
    const auto kinds = impossible_kinds(sweep);
    std::size_t impossible = 0;
    for (const config::ImpossibleKind& kind : kinds) {
        impossible += kind.num_points;
    }
    return fmt::format(", {} points", sweep.points.size()) +
           (impossible == 0
                ? ""
                : fmt::format(", {} of them impossible:{}", impossible, to_text(kinds)));
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
    command->footer(
        "Takes the options that run, sweep or tune will have. Prints `CONFIG: ok`, or every\n"
        "mistake with its file, line and column, and then ends with 2. For a sweep it names the\n"
        "reason for each kind of impossible point. Kernels are not compiled: their compile\n"
        "errors show in the run.");
    return {command, [command, options, &console] {
                const std::string found = checked(*command, *options, console);
                console.out << options->run.config.config << ": ok" << found << '\n';
                return ExitCode::Success;
            }};
}

}  // namespace tessera::cli
