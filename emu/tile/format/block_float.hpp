// SPDX-License-Identifier: Apache-2.0
// Block floating point, the common part of bfp8_b and bfp4_b: 16 elements of a face row share an
// 8-bit exponent (bias 127). An element is sign and magnitude with an explicit leading bit.
// Tile in memory: 64 exponents (16 rows of each face, faces in order), then the elements in face
// order; bfp4_b holds two in a byte, the first in the lower half.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace tessera::tile {

inline constexpr std::uint32_t kBlockElements = 16;
inline constexpr std::uint32_t kBlocksPerTile = 64;

/// Returns the exponent field of a value for the block rule: denormals count as zero.
[[nodiscard]] constexpr std::uint32_t block_exponent_of(float value) noexcept {
    return (std::bit_cast<std::uint32_t>(value) >> 23) & 0xFFU;
}

/// 2^(exponent − 127 − kMagnitudeBits + 1): value of the last magnitude bit.
template <unsigned kMagnitudeBits>
[[nodiscard]] constexpr float block_unit(std::uint32_t exponent) noexcept {
    constexpr std::uint32_t kShift = kMagnitudeBits - 1;
    return exponent > kShift ? std::bit_cast<float>((exponent - kShift) << 23)
                             : std::bit_cast<float>(1U << (22 - (kShift - exponent)));
}

/// Encodes one element under a shared exponent that is at least its own.
///
/// The significand is first shifted right by the difference, which drops bits. It is then rounded
/// to nearest even, and clamped to the largest magnitude instead of carrying into the exponent.
/// Zeros, denormals and results of magnitude 0 give code 0.
/// Source   tt-metal blockfloat_common.cpp, host packing. The chip's packer may round otherwise.
template <unsigned kMagnitudeBits>
[[nodiscard]] constexpr std::uint8_t block_encode(float value, std::uint32_t exponent) noexcept {
    constexpr std::uint32_t kDropped = 24 - kMagnitudeBits;
    constexpr std::uint32_t kLargest = (1U << kMagnitudeBits) - 1;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t own = block_exponent_of(value);
    if (own == 0) {
        return 0;
    }
    const std::uint32_t significand =
        ((bits & 0x7FFFFFU) | 0x800000U) >> std::min(exponent - own, 31U);
    const std::uint32_t odd = (significand >> kDropped) & 1U;
    const std::uint32_t rounded = (significand + (1U << (kDropped - 1)) - 1 + odd) >> kDropped;
    const std::uint32_t magnitude = std::min(rounded, kLargest);
    const std::uint32_t sign = magnitude == 0 ? 0 : bits >> 31;
    return static_cast<std::uint8_t>(sign << kMagnitudeBits | magnitude);
}

/// Returns the value of one element. A sign on magnitude 0 decodes as −inf, as in the chip's
/// unpacker.
template <unsigned kMagnitudeBits>
[[nodiscard]] constexpr float block_decode(std::uint32_t code, std::uint32_t exponent) noexcept {
    const std::uint32_t magnitude = code & ((1U << kMagnitudeBits) - 1);
    const bool is_negative = (code >> kMagnitudeBits & 1U) != 0;
    if (magnitude == 0) {
        return is_negative ? -std::numeric_limits<float>::infinity() : 0.0F;
    }
    const float value = static_cast<float>(magnitude) * block_unit<kMagnitudeBits>(exponent);
    return is_negative ? -value : value;
}

}  // namespace tessera::tile
