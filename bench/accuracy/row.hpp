// SPDX-License-Identifier: Apache-2.0
// One hardware measurement to score against, as in a line of a CSV file.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::score {

struct Row {
    std::uint32_t line = 0;  ///< line number in the file, from 1
    std::string id;
    std::string arch;        ///< "wormhole" or "blackhole"
    std::string workload;    ///< name of the measured workload
    std::string parameters;  ///< "key=value;key=value"
    std::string metric;
    double value = 0;  ///< measured, in `unit`; above 0
    std::string unit;
    std::string group;
};

}  // namespace tessera::score
