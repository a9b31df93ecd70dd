// SPDX-License-Identifier: Apache-2.0
// bfloat16 bit patterns on the host side, one at a time. emu/tile converts whole tiles.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tessera {

/// Returns the value of a bfloat16 bit pattern.
[[nodiscard]] inline float bf16_to_float(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

/// Returns the bit pattern of a number, rounded to nearest, ties to even. Overflow gives infinity,
/// NaN gives 0x7FC0.
[[nodiscard]] inline std::uint16_t float_to_bf16(float value) noexcept {
    if (std::isnan(value)) {
        return 0x7FC0;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

}  // namespace tessera
