// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <vector>

#include "runtime/cli/command.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kAbout =
    "Emulates tile accelerators: values of every core, checked against references, and where the\n"
    "time goes.";
constexpr const char* kExitCodes =
    "Exit codes: 0 success, 1 a result failed its check, 2 wrong input, 3 a kernel broke the\n"
    "machine's contract, 70 a fault of tessera itself.";

// "tessera check": as far as the arguments name subcommands.
std::string named_command(const CLI::App& root) {
    std::string name = root.get_name();
    for (const CLI::App* command : root.get_subcommands()) {
        name += " " + command->get_name();
    }
    return name;
}

void add_log_option(CLI::App& command, std::vector<std::string>& levels) {
    command
        .add_option("--log-level", levels,
                    "Log on standard error: debug, info, warn, error or off, of all areas or of "
                    "config, jit, launch, replay: info,jit=debug [TESSERA_LOG, else warn]")
        ->type_name("LEVEL")
        ->allow_extra_args(false);
}

// A line that is redrawn would tear the lines of the log.
void start_log(const std::vector<std::string>& levels, Console& console) {
    for (const std::string& level : levels) {
        log::set_levels(level, "--log-level " + level);
    }
    if (log::is_any_shown(log::Level::Info)) {
        console.progress = Progress::Hidden;
    }
}

void parse(CLI::App& root, std::span<const std::string> arguments) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    try {
        root.parse(std::move(reversed));
    } catch (const CLI::Success&) {
        throw;
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("{}; see {} --help", error.what(), named_command(root)));
    }
}

const Command& parsed_command(const std::vector<Command>& commands) {
    const auto command = std::ranges::find_if(
        commands, [](const Command& candidate) { return candidate.options->parsed(); });
    require(command != commands.end(), "no command given; see tessera --help");
    return *command;
}

}  // namespace

ExitCode run_command_line(std::span<const std::string> arguments, Console& console) {
    CLI::App root(kAbout, "tessera");
    root.set_version_flag("--version", "tessera " TESSERA_VERSION, "Print the version");
    root.require_subcommand(0, 1);
    root.footer(kExitCodes);
    std::vector<std::string> log_levels;
    add_log_option(root, log_levels);
    std::vector<Command> commands;
    for (const auto add : kAddCommands) {
        commands.push_back(add(root, console));
        add_log_option(*commands.back().options, log_levels);
    }
    try {
        parse(root, arguments);
    } catch (const CLI::CallForVersion&) {
        console.out << root.version() << '\n';
        return ExitCode::Success;
    } catch (const CLI::Success&) {
        console.out << root.help() << '\n';
        return ExitCode::Success;
    }
    const Command& command = parsed_command(commands);
    start_log(log_levels, console);
    return command.run();
}

}  // namespace tessera::cli
