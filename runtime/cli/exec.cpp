// SPDX-License-Identifier: Apache-2.0
// tessera exec: runs a host program of TT-Metalium's API. The program itself is the emulator, since
// it is linked with TT::Metalium; this command checks the settings and passes them on.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/cli/command.hpp"
#include "runtime/cli/console.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/facade/device_model.hpp"
#include "runtime/metalium/settings.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

/// Values of the options, in the order of setting_rows(). A flag that is given has the value "1".
using ExecOptions = std::vector<std::vector<std::string>>;

bool is_flag(const metalium::SettingRow& row) {
    return *row.value == '\0';
}

// Only --set is repeated; its values become lines of one variable.
std::string joined(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) {
        text += (text.empty() ? "" : "\n") + value;
    }
    return text;
}

void pass_on(const ExecOptions& options) {
    const auto rows = metalium::setting_rows();
    metalium::Settings checked;  // here a mistake is one of the option, later one of the variable
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (const std::string text = joined(options[i]); !text.empty()) {
            metalium::read_setting(checked, rows[i], rows[i].option, text);
            setenv(rows[i].variable, text.c_str(), 1);
        }
    }
}

// Undoes what main did for Tessera's own output and files.
void restore_process(const Console& console) {
    console.out.flush();
    if (console.out_descriptor != STDOUT_FILENO) {
        dup2(console.out_descriptor, STDOUT_FILENO);
    }
    std::signal(SIGXFSZ, SIG_DFL);
}

[[noreturn]] void replace_process(const std::vector<std::string>& command) {
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command) {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    throw UsageError(fmt::format("exec {}: {}", command.front(), std::strerror(errno)));
}

ExitCode run(const ExecOptions& options, const std::vector<std::string>& command,
             const Console& console) {
    require(!command.empty(), "exec: no program; allowed: tessera exec [OPTIONS] PROGRAM [ARGS]");
    require(!command.front().starts_with('-'), "unknown option {}; see tessera exec --help",
            command.front());
    pass_on(options);
    const metalium::Settings settings = metalium::settings_from_environment();
    require_folder_name("--report",
                        settings.report.empty() ? std::nullopt : std::optional(settings.report));
    if (!settings.report.empty()) {
        report::require_report_places(settings.report);
    }
    require_file_name("--trace",
                      settings.trace.empty() ? std::nullopt : std::optional(settings.trace));
    // The program would find mistakes in these only after its own start, which may take minutes.
    (void)load_device(find_device_model("--device", settings.device), settings.sets);
    restore_process(console);
    replace_process(command);
}

}  // namespace

Command add_exec(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand(
        "exec", "Run a host program that is built with TT::Metalium on an emulated mesh");
    const auto rows = metalium::setting_rows();
    const auto options = std::make_shared<ExecOptions>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (is_flag(rows[i])) {
            command->add_flag_callback(
                rows[i].option, [options, i] { (*options)[i] = {"1"}; }, rows[i].about);
            continue;
        }
        command->add_option(rows[i].option, (*options)[i], rows[i].about)
            ->type_name(rows[i].value)
            ->option_text(rows[i].value)
            ->allow_extra_args(false);
    }
    command->prefix_command();
    command->footer(
        "tessera exec [OPTIONS] PROGRAM [ARGS]: the options come before the program. Each option\n"
        "sets an environment variable, by which the program can be run without this command:\n"
        "TESSERA_MESH=1x8 ./program. The exit code is the program's.");
    return {command,
            [options, command, &console] { return run(*options, command->remaining(), console); }};
}

}  // namespace tessera::cli
