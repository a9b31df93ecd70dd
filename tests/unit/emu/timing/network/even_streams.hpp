// SPDX-License-Identifier: Apache-2.0
// Streams of equal transfers, and their completion rate.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/unit/emu/timing/network/small_machine.hpp"
#include "tests/unit/emu/timing/network/streams.hpp"

namespace tessera::timing {

inline constexpr std::uint32_t kTransfers = 200;
inline constexpr std::uint32_t kBytes = 1024;

inline Stream stream(const Request& request) {
    return {
        .requests = std::vector<Request>(kTransfers, request), .interval = 1000, .most_queued = 2};
}

/// Returns B/cycle of transfers of kBytes.
inline double rate(const StreamRun& run, std::size_t stream) {
    return kTransfers * kBytes * static_cast<double>(kMillicyclesPerCycle) /
           static_cast<double>(run.end(stream));
}

}  // namespace tessera::timing
