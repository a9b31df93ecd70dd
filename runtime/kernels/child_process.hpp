// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct ProcessOutcome {
    int exit_code = 0;   ///< 128 + signal if it was killed
    std::string output;  ///< what it wrote to standard output and standard error
};

/// Runs a program to its end, `command[0]` being its path. What it writes comes through a pipe, so
/// that it is heard when a disk is full, too.
/// Errors   UsageError if the program cannot be started.
[[nodiscard]] ProcessOutcome run_process(const std::vector<std::string>& command);

}  // namespace tessera
