// SPDX-License-Identifier: Apache-2.0
// tessera explain: prints every value of a configuration and its origin.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::cli {
namespace {

struct ExplainOptions {
    ConfigOptions config;
    std::string filter;
    bool json = false;
};

// A sweep shows the values that its points share, and its varied keys as listed in the file.
config::Resolved resolved_sweep(const config::LoadedSweep& sweep) {
    config::Resolved resolved = sweep.resolved;
    const std::vector<std::string> varied = sweep::keys_of(sweep);
    for (const config::ResolvedValue& value : sweep.points.front().loaded.resolved) {
        if (std::ranges::find(varied, value.path) == varied.end()) {
            resolved.push_back(value);
        }
    }
    return resolved;
}

/// Returns the values whose key contains `filter`.
/// Errors   UsageError if no key contains it.
config::Resolved resolved_of(const ConfigOptions& options, const std::string& filter) {
    config::Resolved resolved = config::is_sweep(find_config(options.config))
                                    ? resolved_sweep(load_sweep(options))
                                    : load(options).resolved;
    std::erase_if(resolved, [&](const config::ResolvedValue& value) {
        return value.path.find(filter) == std::string::npos;
    });
    if (resolved.empty()) {
        throw UsageError(fmt::format("no key of {} contains '{}'; without --filter all are shown",
                                     options.config, filter));
    }
    return resolved;
}

}  // namespace

Command add_explain(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand(
        "explain", "Show every value of a run or sweep configuration and its origin");
    auto options = std::make_shared<ExplainOptions>();
    add_config_options(*command, options->config);
    command->add_option("--filter", options->filter,
                        "Show only keys that contain this text: arch.timing.noc");
    command->add_flag("--json", options->json, "Print as JSON");
    command->footer(
        "An origin is file:line:column, --set …, or default. Numbers of the device also show\n"
        "the document that they come from.");
    return {command, [options, &console] {
                const config::Resolved resolved = resolved_of(options->config, options->filter);
                if (options->json) {
                    console.out << to_json(resolved).dump(2) << '\n';
                } else {
                    console.out << to_text(resolved);
                }
                return ExitCode::Success;
            }};
}

}  // namespace tessera::cli
