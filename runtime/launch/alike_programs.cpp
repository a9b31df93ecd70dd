// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/alike_programs.hpp"

#include <algorithm>

namespace tessera {

std::vector<LaunchedProgram> by_device(std::span<const DeviceProgram> programs,
                                       std::span<const std::size_t> alike) {
    std::vector<LaunchedProgram> launched;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const std::size_t runs = alike.empty() ? i : alike[i];
        launched.push_back({&programs[i], programs[runs].device});
    }
    std::ranges::sort(launched, {}, [](const LaunchedProgram& one) { return one.program->device; });
    return launched;
}

}  // namespace tessera
