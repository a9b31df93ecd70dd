// SPDX-License-Identifier: Apache-2.0
// Quantities of a machine turned into integer millicycles once, so that a replay adds integers
// only.
#pragma once

#include <cmath>
#include <cstdint>

#include "tessera/timeline.hpp"
#include "tessera/units.hpp"

namespace tessera::timing {

[[nodiscard]] inline Millicycles to_millicycles(Cycles cycles) {
    return std::llround(cycles.value * static_cast<double>(kMillicyclesPerCycle));
}
[[nodiscard]] inline Millicycles to_millicycles(Seconds seconds, Hertz clock) {
    return to_millicycles(Cycles{seconds.value * clock.value});
}

/// How long bytes take at a rate, behind a fixed overhead.
class Pace {
public:
    Pace() = default;
    /// Preconditions   rate above 0.
    Pace(Cycles overhead, BytesPerCycle rate)
        : overhead_(to_millicycles(overhead)),
          per_byte_(static_cast<std::uint64_t>(
              std::llround(static_cast<double>(kMillicyclesPerCycle) / rate.value * kOne))) {}

    [[nodiscard]] Millicycles of(std::uint64_t bytes) const noexcept {
        return overhead_ + static_cast<Millicycles>((bytes * per_byte_ + kHalf) >> kFraction);
    }

private:
    static constexpr unsigned kFraction = 20;  ///< bits behind the point of `per_byte_`
    static constexpr double kOne = 1U << kFraction;
    static constexpr std::uint64_t kHalf = 1U << (kFraction - 1);
    Millicycles overhead_ = 0;
    std::uint64_t per_byte_ = 0;
};

}  // namespace tessera::timing
