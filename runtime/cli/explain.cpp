// SPDX-License-Identifier: Apache-2.0
// tessera explain: every value of a configuration with where it came from.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_options.hpp"

namespace tessera::cli {
namespace {

struct ExplainOptions {
    ConfigOptions config;
    bool json = false;
};

}  // namespace

Command add_explain(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("explain", "Show every value of a run configuration and its origin");
    auto options = std::make_shared<ExplainOptions>();
    add_config_options(*command, options->config);
    command->add_flag("--json", options->json, "As JSON");
    command->footer(
        "An origin is file:line:column, --set …, or default; numbers of the device also show the\n"
        "document they were taken from.");
    return {command, [options, &console] {
                const config::LoadedRun loaded = load(options->config);
                if (options->json) {
                    console.out << to_json(loaded.resolved).dump(2) << '\n';
                } else {
                    console.out << to_text(loaded.resolved);
                }
                return ExitCode::Success;
            }};
}

}  // namespace tessera::cli
