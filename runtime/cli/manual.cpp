// SPDX-License-Identifier: Apache-2.0
// tessera manual: writes the man page and the completions of shells from the definitions of the
// command line. Help does not show it; packages use it (runtime/cli/CMakeLists.txt).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cli/command.hpp"

namespace tessera::cli {
namespace {

using Apps = std::vector<const CLI::App*>;
using Options = std::vector<const CLI::Option*>;

Apps shown_commands(const CLI::App& app) {
    return app.get_subcommands(
        [](const CLI::App* command) { return !command->get_group().empty(); });
}

Options shown_options(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) {
        return !option->get_group().empty() && !option->get_positional();
    });
}

Options arguments_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// A command with the words that lead to it: "" for tessera itself, " run", " new op".
struct Path {
    std::string words;
    const CLI::App* app;
};

void collect(const Path& path, std::vector<Path>& paths) {
    paths.push_back(path);
    for (const CLI::App* command : shown_commands(*path.app)) {
        collect({path.words + " " + command->get_name(), command}, paths);
    }
}

std::vector<Path> paths_below(const CLI::App& root) {
    std::vector<Path> paths;
    collect({"", &root}, paths);
    return paths;
}

/// Type name of an option or argument: "FILE", "ops|archs|configs", empty for a flag.
std::string value_of(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) {
        return "";
    }
    const std::string type = option.get_type_name();
    return type.starts_with(':') ? type.substr(1) : type;
}

/// -h and --help of "-h,--help".
std::vector<std::string> spellings(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

/// Returns the words of "ops|archs|configs"; none for other values.
std::vector<std::string> choices_of(const CLI::Option& option) {
    const std::string value = value_of(option);
    if (value.find('|') == std::string::npos) {
        return {};
    }
    return CLI::detail::split(value, '|');
}

// --- the man page ---

/// Escapes text for roff, so that a typed hyphen is not a hyphenation point.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
            out += "\\&";
        }
        out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    }
    return out;
}

std::string roff_option(const CLI::Option& option) {
    const std::string value = value_of(option);
    return fmt::format(
        ".TP\n\\fB{}\\fR{}\n{}\n", roff(fmt::format("{}", fmt::join(spellings(option), ", "))),
        value.empty() ? "" : " \\fI" + roff(value) + "\\fR", roff(option.get_description()));
}

std::string roff_argument(const CLI::Option& option) {
    const std::string value = value_of(option);
    return fmt::format(".TP\n\\fI{}\\fR{}\n{}\n", roff(option.get_name()),
                       value.empty() ? "" : " (" + roff(value) + ")",
                       roff(option.get_description()));
}

std::string roff_options(const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : arguments_of(app)) {
        text += roff_argument(*option);
    }
    for (const CLI::Option* option : shown_options(app)) {
        text += roff_option(*option);
    }
    return text;
}

std::string roff_command(const Path& path) {
    const std::string footer = path.app->get_footer();
    return fmt::format(".SS tessera{}\n{}.\n{}{}", roff(path.words),
                       roff(path.app->get_description()), roff_options(*path.app),
                       footer.empty() ? "" : ".PP\n" + roff(footer) + "\n");
}

std::string man_page(const CLI::App& root) {
    std::string text = fmt::format(
        ".TH TESSERA 1 \"\" \"{}\" \"User Commands\"\n"
        ".SH NAME\ntessera \\- emulator of tile accelerators\n"
        ".SH SYNOPSIS\n.B tessera\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n"
        ".SH DESCRIPTION\n{}\n.SH OPTIONS\n{}.SH COMMANDS\n",
        root.version(), roff(root.get_description()), roff_options(root));
    const std::vector<Path> paths = paths_below(root);
    for (auto path = paths.begin() + 1; path != paths.end(); ++path) {
        text += roff_command(*path);
    }
    return text + ".SH EXIT STATUS\n" + roff(root.get_footer()) + "\n";
}

// --- completions ---

std::vector<std::string> option_words(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::Option* option : shown_options(app)) {
        std::ranges::copy(spellings(*option), std::back_inserter(words));
    }
    return words;
}

/// Returns names of commands and choices of arguments. Other arguments are files, which shells
/// complete.
std::vector<std::string> argument_words(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::App* command : shown_commands(app)) {
        words.push_back(command->get_name());
    }
    for (const CLI::Option* option : arguments_of(app)) {
        std::ranges::copy(choices_of(*option), std::back_inserter(words));
    }
    return words;
}

/// Returns shell code, for both bash and zsh, that writes the command's words from the command line
/// to `path`. `words` is an array expression of the words before the cursor.
std::string find_path(const std::vector<Path>& paths, std::string_view words) {
    std::vector<std::string> known;
    known.reserve(paths.size());
    for (const Path& path : paths) {
        known.push_back("'" + path.words + "'");
    }
    return fmt::format(
        "    local path_words= word\n"
        "    for word in {}; do\n"
        "        case \"$path_words $word\" in\n"
        "            {}) path_words+=\" $word\" ;;\n"
        "        esac\n"
        "    done\n",
        words, fmt::join(known.begin() + 1, known.end(), " | "));
}

std::string bash_completion(const CLI::App& root) {
    const std::vector<Path> paths = paths_below(root);
    std::string text =
        "# bash completion of tessera, written by `tessera manual bash`.\n"
        "_tessera() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} options= arguments=\n" +
        find_path(paths, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"") + "    case $path_words in\n";
    for (const Path& path : paths) {
        text += fmt::format("        '{}') options='{}' arguments='{}' ;;\n", path.words,
                            fmt::join(option_words(*path.app), " "),
                            fmt::join(argument_words(*path.app), " "));
    }
    return text +
           "    esac\n"
           "    [[ $current == -* ]] && arguments=$options\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$arguments\" -- \"$current\")\n"
           "}\n"
           "complete -o bashdefault -o default -F _tessera tessera\n";
}

/// Quotes text in single quotes and escapes the characters that `_arguments` and `_describe`
/// interpret.
std::string zsh_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (c == '[' || c == ']' || c == ':' || c == '\\') {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string zsh_value(const CLI::Option& option) {
    const std::string value = value_of(option);
    if (value.empty()) {
        return "";
    }
    const std::vector<std::string> choices = choices_of(option);
    const std::string action = !choices.empty() ? fmt::format("({})", fmt::join(choices, " "))
                               : value == "FILE" || value == "DIR" ? "_files"
                                                                   : " ";
    return fmt::format(":{}:{}", zsh_text(value), action);
}

std::string zsh_options(const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : shown_options(app)) {
        for (const std::string& name : spellings(*option)) {
            text += fmt::format(" \\\n                '*{}[{}]{}'", name,
                                zsh_text(option->get_description()), zsh_value(*option));
        }
    }
    return text;
}

std::string zsh_arguments(const CLI::App& app) {
    const std::vector<std::string> words = argument_words(app);
    return words.empty() ? "'*:file:_files'"
                         : fmt::format("'*:argument:({})'", fmt::join(words, " "));
}

std::string zsh_completion(const CLI::App& root) {
    const std::vector<Path> paths = paths_below(root);
    std::string text =
        "#compdef tessera\n"
        "# zsh completion of tessera, written by `tessera manual zsh`.\n" +
        find_path(paths, "\"${(@)words[2,CURRENT-1]}\"");
    text += "    case $path_words in\n";
    for (const Path& path : paths) {
        text += fmt::format("        '{}')\n            _arguments {}{} ;;\n", path.words,
                            zsh_arguments(*path.app), zsh_options(*path.app));
    }
    return text + "    esac\n";
}

struct Manual {
    std::string name;
    std::string (*write)(const CLI::App& root);
};

const std::array kManuals{Manual{"bash", bash_completion}, Manual{"man", man_page},
                          Manual{"zsh", zsh_completion}};

std::vector<std::string> names_of_manuals() {
    std::vector<std::string> names;
    names.reserve(kManuals.size());
    for (const Manual& manual : kManuals) {
        names.push_back(manual.name);
    }
    return names;
}

}  // namespace

Command add_manual(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("manual", "Write the man page, or a shell's completion");
    command->group("");  // not in help
    auto what = std::make_shared<std::string>();
    command->add_option("WHAT", *what, "man, or a shell: bash, zsh")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember(names_of_manuals()).description("man|bash|zsh"));
    return {command, [what, &root, &console] {
                const auto manual = std::ranges::find(kManuals, *what, &Manual::name);
                console.out << manual->write(root);
                return ExitCode::Success;
            }};
}

}  // namespace tessera::cli
