// SPDX-License-Identifier: Apache-2.0
// tessera kernel run: runs kernels that have no program.
#pragma once

#include "runtime/cli/command.hpp"

namespace tessera::cli {

/// Adds the subcommand to `tessera kernel`.
Command add_kernel_run(CLI::App& kernel, Console& console);

}  // namespace tessera::cli
