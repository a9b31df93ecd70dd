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

/// Returns the e2m1 code nearest to a number. Ties go to the even code, and magnitudes above 6
/// become 6. Numbers below 0 keep their sign, even if they round to 0.
[[nodiscard]] inline std::uint32_t e2m1_from_float(float value) noexcept {
    const float magnitude = std::fabs(value);
    std::uint32_t code = 0;
    for (std::uint32_t next = 1; next < 8; ++next) {
        const float middle = (e2m1_to_float(next - 1) + e2m1_to_float(next)) / 2;
        const bool is_odd = next % 2 == 1;
        code = magnitude > middle || (magnitude == middle && !is_odd) ? next : code;
    }
    return value < 0 ? code | 8U : code;
}

/// Returns the e8m0 code of a block of e2m1 numbers from its largest magnitude, as OCP MX defines
/// it: the exponent of that magnitude minus 2, the exponent of 6. The code is at least 2, so that
/// no number of the block is subnormal in bfloat16.
[[nodiscard]] inline std::uint8_t e8m0_of_block(float largest) noexcept {
    constexpr int kExponentOfSix = 2;
    constexpr int kBias = 127;
    constexpr int kLeast = 2;
    const int code = largest == 0 ? kLeast : std::ilogb(largest) - kExponentOfSix + kBias;
    return static_cast<std::uint8_t>(code < kLeast ? kLeast : code);
}

/// Returns the value of an e8m0 code: 2^(code - 127), or NaN for 255.
[[nodiscard]] inline float e8m0_to_float(std::uint8_t code) noexcept {
    return code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, code - 127);
}

}  // namespace tessera
