// SPDX-License-Identifier: Apache-2.0
// The subcommand `tessera score`. It is part of the score, so `main` adds it to those of
// runtime/cli.
#pragma once

#include "runtime/cli/command.hpp"

namespace tessera::score {

/// Adds `score` to `root`. The console must outlive the command.
[[nodiscard]] cli::Command add_score(CLI::App& root, cli::Console& console);

}  // namespace tessera::score
