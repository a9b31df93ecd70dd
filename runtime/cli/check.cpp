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

/// Checks the configuration; says how many points it has if it is a sweep.
std::string checked(const ConfigOptions& options) {
    if (!config::is_sweep(find_config(options.config))) {
        (void)load(options);
        return "";
    }
    const config::LoadedSweep sweep = load_sweep(options);
    const auto impossible = std::ranges::count_if(
        sweep.points, [](const config::SweepPoint& point) { return !point.impossible.empty(); });
    return fmt::format(", {} points{}", sweep.points.size(),
                       impossible == 0 ? "" : fmt::format(", {} of them impossible", impossible));
}

}  // namespace

Command add_check(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("check", "Validate a run or sweep configuration; run nothing");
    auto options = std::make_shared<ConfigOptions>();
    add_config_options(*command, *options);
    command->footer("Prints `CONFIG: ok`, or every mistake with its file, line and column.");
    return {command, [options, &console] {
                const std::string found = checked(*options);
                console.out << options->config << ": ok" << found << '\n';
                return ExitCode::Success;
            }};
}

}  // namespace tessera::cli
