// SPDX-License-Identifier: Apache-2.0
// 8-bit floating point with a choice of exponent width: the common part of e4m3 and e5m2.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tessera::tile {

/// Result for a finite value (or an infinity) beyond the largest code after rounding.
enum class Overflow : std::uint8_t {
    Saturate,  ///< largest finite value, as CUDA's satfinite and the Blackhole packer
    Special,   ///< infinity if the format has one, else NaN
};

/// One 8-bit format. Codes above `kMaxCode` (without the sign) are special.
template <unsigned kMantissaBits, unsigned kBias, std::uint32_t kMaxCode,
          std::uint32_t kOverflowCode>
struct Minifloat {
    static constexpr unsigned kDroppedBits = 23 - kMantissaBits;
    /// Subtracted from the exponent field of an IEEE single, in units of this format's code.
    static constexpr std::uint32_t kRebias = (127 - kBias) << kMantissaBits;
    static constexpr float kMinNormal = std::bit_cast<float>((128 - kBias) << 23);
    /// One unit in the last place of this float is the smallest denormal.
    static constexpr float kDenormalMagic =
        std::bit_cast<float>((127 + 24 - kBias - kMantissaBits) << 23);
    static constexpr float kMinDenormal = std::bit_cast<float>((128 - kBias - kMantissaBits) << 23);
    static constexpr std::uint32_t kLargest = kMaxCode;
    static constexpr std::uint32_t kOverflow = kOverflowCode;
    static constexpr std::uint32_t kMantissa = kMantissaBits;
    static constexpr std::uint32_t kNan = 0x7F;

    /// Rounds to nearest, ties to even; NaN gives 0x7F with the sign kept.
    [[nodiscard]] static constexpr std::uint8_t encode(float value, Overflow overflow) noexcept {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
        const std::uint32_t sign = (bits >> 24) & 0x80U;
        if (magnitude > 0x7F800000U) {
            return static_cast<std::uint8_t>(sign | kNan);
        }
        const std::uint32_t code = round_magnitude(magnitude);
        const std::uint32_t beyond = overflow == Overflow::Saturate ? kLargest : kOverflow;
        return static_cast<std::uint8_t>(sign | (code > kLargest ? beyond : code));
    }

    [[nodiscard]] static constexpr float decode(std::uint8_t code) noexcept {
        const std::uint32_t magnitude = code & 0x7FU;
        const std::uint32_t sign = (code & 0x80U) << 24;
        float value = std::bit_cast<float>((magnitude + kRebias) << kDroppedBits);
        if (magnitude > kLargest) {
            value = magnitude == kOverflow && kOverflow != kNan
                        ? std::numeric_limits<float>::infinity()
                        : std::numeric_limits<float>::quiet_NaN();
        } else if (magnitude < (1U << kMantissaBits)) {
            value = static_cast<float>(magnitude) * kMinDenormal;
        }
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
    }

private:
    static constexpr std::uint32_t round_magnitude(std::uint32_t magnitude) noexcept {
        const float value = std::bit_cast<float>(magnitude);
        if (value < kMinNormal) {
            return std::bit_cast<std::uint32_t>(value + kDenormalMagic) -
                   std::bit_cast<std::uint32_t>(kDenormalMagic);
        }
        const std::uint32_t odd = (magnitude >> kDroppedBits) & 1U;
        const std::uint32_t rounded = magnitude + (1U << (kDroppedBits - 1)) - 1 + odd;
        return (rounded >> kDroppedBits) - kRebias;
    }
};

}  // namespace tessera::tile
