// SPDX-License-Identifier: Apache-2.0
// tessera check: reads and validates a configuration, and runs nothing.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/run/single_op.hpp"

namespace tessera::cli {
namespace {

/// The one op's own rules; a MoE layer's are among those of the configuration.
void require_schedule(const config::LoadedRun& loaded) {
    if (loaded.run.workload.pipeline != Pipeline::MoeV2) {
        (void)run::single_op(loaded.run, loaded.arch);
    }
}

}  // namespace

Command add_check(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("check", "Validate a run configuration; run nothing");
    auto options = std::make_shared<ConfigOptions>();
    add_config_options(*command, *options);
    command->footer("Prints `CONFIG: ok`, or every mistake with its file, line and column.");
    return {command, [options, &console] {
                require_schedule(load(*options));
                console.out << options->config << ": ok\n";
                return ExitCode::Success;
            }};
}

}  // namespace tessera::cli
