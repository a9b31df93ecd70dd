// SPDX-License-Identifier: Apache-2.0
// Launches of a run by stage, and its memory by content, as the run file names them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::report {

struct RunStages {
    struct Stage {
        std::string name;
        std::vector<std::string> launches;  ///< names
    };
    struct Memory {
        std::string name;
        std::uint64_t bytes = 0;  ///< on each device
    };
    std::uint64_t tokens = 0;    ///< tokens of the run; 0: not stated
    std::vector<Stage> stages;   ///< the last one has the launches without a stage, if any
    std::vector<Memory> memory;  ///< memory of input tensors
};

}  // namespace tessera::report
