// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera {

struct ProcessOutcome {
    int exit_code = 0;   ///< 128 + signal if it was killed
    std::string output;  ///< what it wrote to standard output and standard error
};

/// What a compiler or linker may take. A source can keep a compiler busy for ever, or have it read
/// a file that has no end.
struct ProcessLimits {
    std::uint64_t processor_seconds = 60;
    std::uint64_t seconds = 300;  ///< one that waits for a FIFO uses no processor time
    std::uint64_t gibibytes = 2;  ///< of memory
};

/// A compiler or linker was stopped at a limit: another attempt would be as well.
class ProcessLimitError : public UsageError {
public:
    using UsageError::UsageError;
};

/// Runs a compiler or linker to its end, `command[0]` being its path; `subject` names in messages
/// what it is run for. What it writes comes through a pipe, so that it is heard when a disk is
/// full, too. Errors   UsageError if the program cannot be started; ProcessLimitError if it is
/// stopped.
[[nodiscard]] ProcessOutcome run_process(const std::vector<std::string>& command,
                                         const std::string& subject,
                                         const ProcessLimits& limits = {});

}  // namespace tessera
