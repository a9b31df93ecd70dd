// SPDX-License-Identifier: Apache-2.0
#include "tessera/trace.hpp"

namespace tessera {

std::uint64_t num_events(const LaunchTrace& launch) noexcept {
    std::uint64_t sum = 0;
    for (const CoreTrace& core : launch.cores) {
        for (const ThreadTrace& thread : core.threads) {
            sum += thread.events.size();
        }
    }
    return sum;
}

}  // namespace tessera
