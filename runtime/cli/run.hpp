// SPDX-License-Identifier: Apache-2.0
// The steps of tessera run, for other subcommands that run one configuration.
#pragma once

#include "runtime/cli/console.hpp"
#include "runtime/cli/exit_code.hpp"
#include "runtime/cli/run_options.hpp"

namespace tessera::cli {

/// Runs a configuration, checks it, and writes and prints the results that the options select.
/// Errors   as tessera run.
[[nodiscard]] ExitCode run(const RunOptions& options, const Console& console);

/// Does everything that a run does before its first kernel.
/// Errors   those of `run` that do not depend on what kernels do; kernels are not compiled.
void check_run(const RunOptions& options, const Console& console);

}  // namespace tessera::cli
