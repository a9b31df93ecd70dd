// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "emu/base/fields/nearest.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kAbout =
    "Emulates tile accelerators: computes the values of every core, compares them with\n"
    "references, and predicts where the time goes.";
constexpr const char* kExitCodes =
    "Exit codes: 0 success, 1 a result failed its check, 2 wrong input, 3 a kernel broke the\n"
    "machine's contract, 70 a fault of tessera itself, 130 in a shell after Ctrl-C.";

// Returns "tessera kernel check": the program and the subcommands that the arguments name.
std::string named_command(const CLI::App& root) {
    std::string name = root.get_name();
    const CLI::App* app = &root;
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
        name += " " + app->get_name();
    }
    return name;
}

void add_log_option(CLI::App& command, std::vector<std::string>& levels) {
    add_repeated_option(command, "--log-level", levels, "LEVEL",
                        "Log on standard error: debug, info, warn, error or off, for all areas or "
                        "for one of config, jit, launch, replay: info,jit=debug [TESSERA_LOG, "
                        "else warn]");
}

// A redrawn progress line would overwrite lines of the log.
void start_log(const std::vector<std::string>& levels, Console& console) {
    for (const std::string& level : levels) {
        log::set_levels(level, "--log-level " + level);
    }
    if (log::is_any_shown(log::Level::Info)) {
        console.progress = Progress::Hidden;
    }
}

/// Returns the names of options, in their order: "--json or --rows".
std::string names_of(const std::set<CLI::Option*>& options) {
    std::set<std::string> names;  // the set of pointers has no order that is the same in each run
    for (const CLI::Option* option : options) {
        names.insert(option->get_name());
    }
    return fmt::format("{}", fmt::join(names, " or "));
}

/// Help with "FILE..." for an argument that takes several values, however many are allowed. The
/// words of CLI11 for limits of an option ("REQUIRED Excludes: --json") follow its description as a
/// sentence does: "; not together with --json; required".
class HelpText final : public CLI::Formatter {
public:
    std::string make_option_opts(const CLI::Option* option) const override {
        if (!option->get_option_text().empty()) {
            return " " + option->get_option_text();
        }
        const bool has_value = option->get_type_size() != 0;
        std::string text;
        if (has_value && !option->get_type_name().empty()) {
            text += " " + option->get_type_name();
        }
        if (has_value && option->get_expected_max() == CLI::detail::expected_max_vector_size) {
            text += " ...";
        }
        return text;
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        std::string text = option->get_description();
        if (!option->get_needs().empty()) {
            text += "; only with " + names_of(option->get_needs());
        }
        if (!option->get_excludes().empty()) {
            text += "; not together with " + names_of(option->get_excludes());
        }
        return option->get_required() ? text + "; required" : text;
    }
    std::string make_option_usage(const CLI::Option* option) const override {
        const std::string name =
            option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
        return option->get_required() ? name : "[" + name + "]";
    }
};

/// Returns the innermost subcommand that the arguments name.
const CLI::App& named_app(const CLI::App& root) {
    const CLI::App* app = &root;
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
    }
    return *app;
}

/// "; did you mean --X?", if a known word is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const char* dashes = "") {
    const auto near = config::plausible(word, known);
    return near ? fmt::format("; did you mean {}{}?", dashes, *near) : "";
}

std::string unknown_option(const std::string& option, const CLI::App& app) {
    std::vector<std::string> known;
    for (const CLI::Option* candidate : app.get_options()) {
        known.insert(known.end(), candidate->get_lnames().begin(), candidate->get_lnames().end());
    }
    const std::string name = option.substr(0, option.find('='));
    const std::string letters = name.substr(std::min(name.size(), name.find_first_not_of('-')));
    return fmt::format("unknown option {}{}", name, suggestion(letters, known, "--"));
}

/// Subcommands that help shows.
std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands(
             [](const CLI::App* candidate) { return !candidate->get_group().empty(); })) {
        names.push_back(command->get_name());
    }
    return names;
}

std::string unknown_command(const std::string& word, const CLI::App& app) {
    const std::vector<std::string> names = command_names(app);
    std::vector<std::string> known = names;
    known.insert(known.end(), {"--help", "--version"});
    const std::string hint = suggestion(word, known);
    return fmt::format("unknown command {}{} Allowed: {}", word, hint.empty() ? "." : hint,
                       fmt::join(names, ", "));
}

/// Returns how to write two values of --set, if `arguments` have both after one --set.
std::string values_of_one_set(std::span<const std::string> arguments) {
    for (std::size_t i = 0; i + 2 < arguments.size(); ++i) {
        const std::string& option = arguments[i];
        const std::string& second = arguments[i + 2];
        const bool is_set = option == "--set" || option == "--set-b";
        if (is_set && !second.starts_with('-') && second.find('=') != std::string::npos) {
            return fmt::format("{0} takes one KEY=VALUE; write {0} '{1}' {0} '{2}'", option,
                               arguments[i + 1], second);
        }
    }
    return "";
}

/// Describes the first argument that no command or option accepts.
std::string unexpected_argument(const CLI::App& root, std::span<const std::string> arguments) {
    const CLI::App& app = named_app(root);
    const std::string values = values_of_one_set(arguments);
    const std::vector<std::string> extras = root.remaining(true);
    if (!values.empty() || extras.empty()) {
        return values.empty() ? "unexpected argument" : values;
    }
    const std::string& word = extras.front();
    if (word.starts_with('-')) {
        return unknown_option(word, app);
    }
    return command_names(app).empty() ? fmt::format("unexpected argument {}", word)
                                      : unknown_command(word, app);
}

/// Returns whether an argument is in the position of a subcommand; CLI11 then reports it as
/// missing.
bool names_no_command(const CLI::App& root) {
    return !command_names(named_app(root)).empty() && !root.remaining(true).empty();
}

/// Returns what CLI11 found wrong, in the form of all other messages: a missing subcommand with
/// those that are allowed, a wrong word with the nearest one.
std::string own_words(const CLI::ParseError& error, const CLI::App& root) {
    const std::vector<std::string> commands = command_names(named_app(root));
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !commands.empty()) {
        return fmt::format("no command given; allowed: {}", fmt::join(commands, ", "));
    }
    static const std::regex kNotInRange(R"((.*): Value (.*) not in range (.*) to (.*))");
    static const std::regex kNotIn(R"((.*): (.*) not in \{(.*)\})");
    std::string text = error.what();
    std::smatch parts;
    if (std::regex_match(text, parts, kNotInRange)) {
        return fmt::format("{} {}: allowed: {} to {}", parts[1].str(), parts[2].str(),
                           parts[3].str(), parts[4].str());
    }
    if (!std::regex_match(text, parts, kNotIn)) {
        return text;
    }
    std::istringstream list(parts[3]);
    std::vector<std::string> allowed;
    for (std::string word; std::getline(list, word, ',');) {
        allowed.push_back(word);
    }
    const std::string hint = suggestion(parts[2], allowed);
    return fmt::format("{}: '{}' is unknown{} Allowed: {}", parts[1].str(), parts[2].str(),
                       hint.empty() ? "." : hint, fmt::join(allowed, ", "));
}

void parse(CLI::App& root, std::span<const std::string> arguments) {
    // CLI11 takes arguments in reverse order.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
        root.parse(std::move(reversed));
    } catch (const CLI::Success&) {
        throw;
    } catch (const CLI::ParseError& error) {
        const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
        const std::string text = is_extra || names_no_command(root)
                                     ? unexpected_argument(root, arguments)
                                     : own_words(error, root);
        throw UsageError(fmt::format("{}{} see {} --help", text, text.ends_with('?') ? "" : ";",
                                     named_command(root)));
    }
}

const Command& parsed_command(const std::vector<Command>& commands) {
    const auto command = std::ranges::find_if(
        commands, [](const Command& candidate) { return candidate.options->parsed(); });
    require(command != commands.end(), "no command given; see tessera --help");
    return *command;
}

std::vector<std::string> names_with_ranks(const std::vector<Command>& commands) {
    std::vector<std::string> names;
    for (const Command& command : commands) {
        if (command.ranks == Ranks::Several) {
            names.push_back(command.options->get_name());
        }
    }
    return names;
}

}  // namespace

ExitCode run_command_line(std::span<const std::string> arguments, Console& console,
                          std::span<const AddCommand> more) {
    CLI::App root(kAbout, "tessera");
    root.formatter(std::make_shared<HelpText>());  // before the commands, which inherit it
    root.set_version_flag("--version", "tessera " TESSERA_VERSION, "Print the version");
    root.require_subcommand(0, 1);
    root.footer(kExitCodes);
    std::vector<std::string> log_levels;
    add_log_option(root, log_levels);
    std::vector<Command> commands;
    const std::span<const AddCommand> own = kAddCommands;
    for (const std::span<const AddCommand> additions : {own, more}) {
        for (const AddCommand add : additions) {
            commands.push_back(add(root, console));
            add_log_option(*commands.back().options, log_levels);
        }
    }
    try {
        parse(root, arguments);
    } catch (const CLI::CallForVersion&) {
        for (const std::string& argument : arguments) {
            require(argument == "--version",
                    "unexpected argument {}; allowed: --version alone; see tessera --help",
                    argument);
        }
        console.out << root.version() << '\n';
        return ExitCode::Success;
    } catch (const CLI::Success&) {
        console.out << root.help() << '\n';
        return ExitCode::Success;
    }
    const Command& command = parsed_command(commands);
    start_log(log_levels, console);
    require(command.ranks == Ranks::Several || console.link == nullptr,
            "{} runs in one process; allowed with mpirun: {}", named_command(root),
            fmt::join(names_with_ranks(commands), ", "));
    return command.run();
}

}  // namespace tessera::cli
