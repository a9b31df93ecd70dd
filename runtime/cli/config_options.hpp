// SPDX-License-Identifier: Apache-2.0
// The options that all commands over a run configuration share: CONFIG, --set, --threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/config/load.hpp"

namespace CLI {
class App;
}

namespace tessera::cli {

struct ConfigOptions {
    std::string config;             ///< path or name
    std::vector<std::string> sets;  ///< key.path=value
    std::optional<std::string> threads;
};

/// Adds CONFIG and --set.
void add_config_options(CLI::App& command, ConfigOptions& options);
/// Adds --threads.
void add_threads_option(CLI::App& command, ConfigOptions& options);

/// Loads the configuration. `shapes` come last: they replace what file and --set say.
/// Errors   ConfigError, UsageError as config::load_run; ConfigError for --set without '=' and for
///          --threads that is no number from 1 on; UsageError for an unknown CONFIG, or a --set of
///          a value that is among `shapes`.
[[nodiscard]] config::LoadedRun load(const ConfigOptions& options,
                                     const std::vector<config::Override>& shapes = {});

}  // namespace tessera::cli
