// SPDX-License-Identifier: Apache-2.0
// A run's launches by stage and its memory by what it holds, as its run file names them.
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
        std::uint64_t bytes = 0;  ///< of each device
    };
    std::uint64_t tokens = 0;    ///< that the run works on; 0: not said
    std::vector<Stage> stages;   ///< the last: launches that no other has, if there are any
    std::vector<Memory> memory;  ///< of tensors that no step makes
};

}  // namespace tessera::report
