// SPDX-License-Identifier: Apache-2.0
// The comparison of tessera compare, for other subcommands.
#pragma once

#include <string>

#include "runtime/cli/console.hpp"
#include "runtime/cli/exit_code.hpp"

namespace tessera::cli {

/// Compares two run configurations and prints which is faster, why, and with what certainty.
/// Errors   as tessera compare.
ExitCode compare_runs(const std::string& a, const std::string& b, const Console& console);

}  // namespace tessera::cli
