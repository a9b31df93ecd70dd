// SPDX-License-Identifier: Apache-2.0
// tessera check: reads and validates a configuration, and runs nothing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/config_options.hpp"

namespace tessera::cli {
namespace {

struct CheckOptions {
    ConfigOptions config;
    bool timing_only = false;
};

/// Checks the configuration; says how many points it has if it is a sweep.
std::string checked(const CheckOptions& options) {
    if (!config::is_sweep(find_config(options.config.config))) {
        const config::LoadedRun loaded = load(options.config);
        if (!options.timing_only) {
            require_memory_for_values(loaded);
        }
        return "";
    }
    const config::LoadedSweep sweep = load_sweep(options.config);
    const auto impossible = std::ranges::count_if(
        sweep.points, [](const config::SweepPoint& point) { return !point.impossible.empty(); });
    return fmt::format(", {} points{}", sweep.points.size(),
                       impossible == 0 ? "" : fmt::format(", {} of them impossible", impossible));
}

}  // namespace

Command add_check(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("check", "Validate a run or sweep configuration; run nothing");
    auto options = std::make_shared<CheckOptions>();
    add_config_options(*command, options->config);
    command->add_flag("--timing-only", options->timing_only,
                      "Of a run with --timing-only: the host need not hold its values");
    command->footer("Prints `CONFIG: ok`, or every mistake with its file, line and column.");
    return {command, [options, &console] {
                const std::string found = checked(*options);
                console.out << options->config.config << ": ok" << found << '\n';
                return ExitCode::Success;
            }};
}

}  // namespace tessera::cli
