// SPDX-License-Identifier: Apache-2.0
// Distribution of rows over experts, for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::report {

/// Rows (token slots) of each expert, and the launches that process these rows.
struct ExpertLoad {
    struct Expert {
        std::uint32_t expert = 0;  ///< number over all devices
        std::uint16_t device = 0;
        std::uint32_t tokens = 0;
    };
    std::vector<Expert> experts;        ///< device by device
    std::vector<std::string> launches;  ///< names
};

}  // namespace tessera::report
