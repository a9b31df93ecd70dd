// SPDX-License-Identifier: Apache-2.0
// bfloat16: the upper half of an IEEE single.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera::tile {

/// Converts exactly.
[[nodiscard]] constexpr float bf16_to_float(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Rounds to nearest, ties to even; overflow gives infinity, denormals are kept, NaN is 0x7FC0.
/// Source   tt-metal bfloat16.cpp (since #27171).
[[nodiscard]] constexpr std::uint16_t bf16_from_float(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
        return 0x7FC0;
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

/// Returns the upper 16 bits; a NaN whose payload is only below them becomes infinity.
[[nodiscard]] constexpr std::uint16_t bf16_truncated(float value) noexcept {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

/// Returns `value` rounded as by bf16_from_float, as a float.
[[nodiscard]] constexpr float round_to_bf16(float value) noexcept {
    return bf16_to_float(bf16_from_float(value));
}

void unpack_bf16_tile(const std::byte* src, float* tile);
/// Rounds as bf16_from_float.
void pack_bf16_tile(const float* tile, std::byte* out);

/// Rounds every element to bf16, the content of a 16-bit DST (DstFormat::Float16_b).
void round_to_bf16_tile(float* tile);

}  // namespace tessera::tile
