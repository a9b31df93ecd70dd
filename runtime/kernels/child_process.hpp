// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera {

/// Result of a child process.
struct ProcessOutcome {
    int exit_code = 0;   ///< 128 + signal if it was killed
    std::string output;  ///< standard output and standard error
};

/// Limits of a compiler or linker. A source can keep a compiler busy for an unlimited time, or make
/// it read an endless file.
struct ProcessLimits {
    std::uint64_t processor_seconds = 60;
    std::uint64_t seconds = 300;  ///< one that waits for a FIFO uses no processor time
    std::uint64_t gibibytes = 2;  ///< of memory
};

/// Thrown if a compiler or linker was stopped at a limit; another attempt would be stopped too.
class ProcessLimitError : public UsageError {
public:
    using UsageError::UsageError;
};

/// Runs a compiler or linker to its end. `command[0]` is its path; messages name `subject`. Its
/// output is read through a pipe, so that it is complete even if the disk is full.
/// Errors   UsageError if the program cannot be started; ProcessLimitError if it is stopped.
[[nodiscard]] ProcessOutcome run_process(const std::vector<std::string>& command,
                                         const std::string& subject,
                                         const ProcessLimits& limits = {});

}  // namespace tessera
