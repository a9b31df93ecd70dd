// SPDX-License-Identifier: Apache-2.0
// One measurement of hardware to score against, as a line of a CSV file gives it.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::score {

struct Row {
    std::uint32_t line = 0;  ///< of the file, from 1
    std::string id;
    std::string arch;        ///< "wormhole" or "blackhole"
    std::string workload;    ///< what ran, in words
    std::string parameters;  ///< "key=value;key=value"
    std::string metric;
    double value = 0;  ///< as measured, in `unit`; above 0
    std::string unit;
    std::string group;
};

}  // namespace tessera::score
