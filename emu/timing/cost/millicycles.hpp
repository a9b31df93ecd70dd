// SPDX-License-Identifier: Apache-2.0
// Rounds quantities to integer millicycles.
#pragma once

#include <cmath>

#include "tessera/timeline.hpp"
#include "tessera/units.hpp"

namespace tessera::timing {

[[nodiscard]] inline Millicycles to_millicycles(Cycles cycles) {
    return std::llround(cycles.value * kMillicyclesPerCycle);
}

[[nodiscard]] inline Millicycles to_millicycles(Seconds time, Hertz clock) {
    return std::llround(time.value * clock.value * kMillicyclesPerCycle);
}

}  // namespace tessera::timing
