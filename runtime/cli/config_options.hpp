// SPDX-License-Identifier: Apache-2.0
// Options that all commands on a run configuration share: CONFIG, --set, --threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/load.hpp"
#include "runtime/config/load_sweep.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "runtime/study/run_timer.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a name of CLI11
class App;
class Validator;
class Option;
}  // namespace CLI

namespace tessera::cli {

struct ConfigOptions {
    std::string config;             ///< path or name
    std::vector<std::string> sets;  ///< key.path=value
    std::optional<std::string> threads;
    bool strict = false;  ///< --strict
};

/// Options of the kernels that a command compiles and runs.
struct KernelOptions {
    std::vector<std::string> include;   ///< --include
    std::optional<std::string> dprint;  ///< --dprint
};
/// Adds --include.
void add_include_option(CLI::App& command, KernelOptions& options);
/// Adds --strict and --dprint.
void add_kernel_options(CLI::App& command, ConfigOptions& config, KernelOptions& options);
/// Applies the options to this process. Call it before the first kernel is compiled.
/// Errors   UsageError for a folder that does not exist.
void apply(const KernelOptions& options);

/// Adds CONFIG and --set.
void add_config_options(CLI::App& command, ConfigOptions& options);
/// Adds an option that may be given several times, with one value each time.
CLI::Option& add_repeated_option(CLI::App& command, const char* name,
                                 std::vector<std::string>& values, const char* value,
                                 const std::string& about);
/// Adds only --set.
void add_set_option(CLI::App& command, std::vector<std::string>& sets);
/// Returns the check of a number from `fewest` to `most`, which help shows as "2-1024".
[[nodiscard]] CLI::Validator whole_number(std::uint32_t fewest, std::uint32_t most);
/// Largest number of a layer that a command line may give; a model or a trace has its own.
inline constexpr std::uint32_t kMostLayer = 4095;

/// Adds --threads.
void add_threads_option(CLI::App& command, ConfigOptions& options);

/// Draws of the timing constants as a command's options state them.
struct DrawOptions {
    std::optional<std::uint32_t> count;  ///< --draws
    bool are_replayed = false;           ///< --replay-draws

    [[nodiscard]] timed_run::Draws draws() const;
};
/// Adds --draws and --replay-draws; the help shows `by_default` as the default of --draws.
void add_draw_options(CLI::App& command, DrawOptions& options,
                      const std::string& by_default = std::to_string(timed_run::kDefaultDraws));

/// Returns the folder of the user's cache for times of launches; none if the user has no cache.
[[nodiscard]] std::optional<std::filesystem::path> launch_cache_folder();

/// Adds --each-constant: a replay at each end of each constant's range.
void add_each_constant_flag(CLI::App& command, bool& each_constant);

/// Adds --full: the whole text instead of its first screen.
void add_full_flag(CLI::App& command, bool& full);
/// Returns `text` if it has at most 40 lines. Otherwise returns as many of its first lines as fit,
/// a line with the number of omitted lines, and its last `num_last` lines.
[[nodiscard]] std::string one_screen_of(const std::string& text, std::size_t num_last);

/// Params that follow from the shapes of the tensors in a file of inputs, as load() takes them.
[[nodiscard]] std::vector<config::Override> params_of(const ConfigOptions& options,
                                                      const pipeline::InputFile& inputs);

/// Loads a configuration by its path or name, with `overrides` in order.
[[nodiscard]] config::LoadedRun load(const std::string& config,
                                     const std::vector<config::Override>& overrides);
/// Loads the configuration. `shapes` come last: they replace values of the file and of --set.
/// Errors   ConfigError, UsageError as config::load_run; ConfigError for --set without '=' and for
///          --threads that is not a number from 1; UsageError for an unknown CONFIG, or a --set of
///          a value that is among `shapes`.
[[nodiscard]] config::LoadedRun load(const ConfigOptions& options,
                                     const std::vector<config::Override>& shapes = {});

/// Loads a sweep in the same way.
[[nodiscard]] config::LoadedSweep load_sweep(const ConfigOptions& options);

/// 0 if `threads` is empty: one for each core of the host.
[[nodiscard]] std::uint32_t threads_of(const std::optional<std::string>& threads);

}  // namespace tessera::cli
