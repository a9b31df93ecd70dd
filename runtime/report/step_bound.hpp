// SPDX-License-Identifier: Apache-2.0
// Bound of a step's time: its least work over the rates of the units that do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/least_work.hpp"
#include "tessera/timeline.hpp"

namespace tessera::report {

/// Time that no schedule is faster than, on the device on which it is longest.
struct Bound {
    Millicycles time = 0;
    std::string by;  ///< unit that takes this time: "DRAM", "links", "FPU", "SFPU"
    std::uint32_t device = 0;
    LeastWork work;  ///< of that device
    /// Part of the step's time before all devices had begun, if they exchange packets: no kernel of
    /// the step shortens it. At most what leaves the bound.
    Millicycles waited = 0;
};

/// Returns how many times the bound a predicted time without its waiting is; 0 without a bound.
[[nodiscard]] inline double over_bound(Millicycles time, const std::optional<Bound>& bound) {
    return bound && bound->time > 0
               ? static_cast<double>(time - bound->waited) / static_cast<double>(bound->time)
               : 0;
}

}  // namespace tessera::report
