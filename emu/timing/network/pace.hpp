// SPDX-License-Identifier: Apache-2.0
// Time of bytes at a rate, after a fixed overhead, in integers.
#pragma once

#include <cmath>
#include <cstdint>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

/// Rate as millicycles per byte in fixed point: the time of a packet is an integer multiplication
/// and a shift, with the same result on any host.
class Pace {
public:
    Pace() = default;
    /// Precondition   rate above 0.
    Pace(Cycles overhead, BytesPerCycle rate)
        : overhead_(to_millicycles(overhead)),
          per_byte_(static_cast<std::uint64_t>(
              std::llround(static_cast<double>(kMillicyclesPerCycle) / rate.value * kOne))) {}

    [[nodiscard]] Millicycles of(std::uint64_t bytes) const noexcept {
        return overhead_ + static_cast<Millicycles>((bytes * per_byte_ + kHalf) >> kFraction);
    }

private:
    static constexpr unsigned kFraction = 20;  ///< bits after the binary point of `per_byte_`
    static constexpr double kOne = 1U << kFraction;
    static constexpr std::uint64_t kHalf = 1U << (kFraction - 1);
    Millicycles overhead_ = 0;
    std::uint64_t per_byte_ = 0;
};

}  // namespace tessera::timing
