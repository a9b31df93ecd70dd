// SPDX-License-Identifier: Apache-2.0
// The options of tessera run, and which of them exclude each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/config_options.hpp"
#include "runtime/config/load.hpp"
#include "runtime/study/run_timer.hpp"

namespace tessera::cli {

struct RunOptions {
    ConfigOptions config;
    /// Name of the run file in results, if its folder is removed after the run.
    std::optional<std::string> shown_as;
    std::optional<std::string> inputs;
    std::optional<std::string> tuned;  ///< table of tessera tune
    std::optional<std::string> outputs;
    std::optional<std::string> state;
    std::vector<std::string> kernels;  ///< KERNEL=FILE
    KernelOptions kernel_options;
    std::optional<std::string> trace;
    std::optional<std::string> report;
    std::vector<std::string> focus;
    DrawOptions draws;
    bool each_constant = false;
    bool timing_only = false;
    bool no_timing = false;
    bool json = false;
    bool quiet = false;
    bool full = false;
    bool profile_host = false;
    bool stages = false;  ///< also print cycles and bytes by stage, of commands that ask for it
};

/// Adds --timing-only and --no-timing.
void add_timing_flags(CLI::App& command, RunOptions& options);
/// Adds the options that can be checked before a run. The other options select what it prints.
void add_checked_options(CLI::App& command, RunOptions& options);
/// Adds all options except CONFIG, for commands that make the run file.
void add_run_options_without_config(CLI::App& command, RunOptions& options);
/// Adds all options.
void add_run_options(CLI::App& command, RunOptions& options);

/// Errors   UsageError for files without a name, folders in place of files, one file for two
///          options, and options that exclude each other.
void check_run_options(const RunOptions& options);
/// Errors   UsageError for a file that the run would write and also reads: its run file and what
///          that extends, inputs, files of origins, kernels.
void require_other_files(const RunOptions& options, const config::LoadedRun& loaded);

}  // namespace tessera::cli
