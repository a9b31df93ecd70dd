// SPDX-License-Identifier: Apache-2.0
// tessera moe place: places the experts of a run by the load of a trace.
#pragma once

#include "runtime/cli/command.hpp"

namespace tessera::cli {

/// Adds the subcommand to `moe`. The console must outlive the command.
[[nodiscard]] Command add_moe_place(CLI::App& moe, Console& console);

}  // namespace tessera::cli
