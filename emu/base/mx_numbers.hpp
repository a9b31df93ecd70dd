// SPDX-License-Identifier: Apache-2.0
// Numbers of the OCP Microscaling formats (version 1.0) on the host side: elements of MXFP4 and
// scales of a block.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera {

/// Returns the value of an e2m1 code in the lowest 4 bits; the sign is bit 3.
[[nodiscard]] inline float e2m1_to_float(std::uint32_t code) noexcept {
    constexpr std::array kMagnitudes{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
    const float magnitude = kMagnitudes[code & 7U];
    return (code & 8U) != 0 ? -magnitude : magnitude;
}

/// Returns the value of an e8m0 code: 2^(code - 127), or NaN for 255.
[[nodiscard]] inline float e8m0_to_float(std::uint8_t code) noexcept {
    return code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, code - 127);
}

}  // namespace tessera
