// SPDX-License-Identifier: Apache-2.0
// The whole command line: parses arguments and runs one subcommand.
#pragma once

#include <span>
#include <string>

#include "runtime/cli/command.hpp"
#include "runtime/cli/console.hpp"
#include "runtime/cli/exit_code.hpp"

namespace tessera::cli {

/// Runs `tessera ARGUMENTS`, with the subcommands of kAddCommands and then `more`, which come from
/// folders above this one. Help and version go to `console.out`.
/// Errors   UsageError for arguments that do not parse; whatever the subcommand throws.
[[nodiscard]] ExitCode run_command_line(std::span<const std::string> arguments, Console& console,
                                        std::span<const AddCommand> more = {});

}  // namespace tessera::cli
