// SPDX-License-Identifier: Apache-2.0
// fp8 e4m3 (OCP "fn" form): bias 7, no infinity, S.1111.111 is NaN, largest value 448.
#pragma once

#include <cstddef>

#include "emu/tile/format/minifloat.hpp"

namespace tessera::tile {

using Fp8E4m3 = Minifloat<3, 7, 0x7E, 0x7F>;

/// Rounds to nearest even. 464 is a tie and gives 448. Larger values give 448 (Saturate) or NaN
/// (Special).
/// Source   OCP 8-bit floating point specification, revision 1.0.
[[nodiscard]] constexpr std::uint8_t e4m3_from_float(
    float value, Overflow overflow = Overflow::Saturate) noexcept {
    return Fp8E4m3::encode(value, overflow);
}
[[nodiscard]] constexpr float e4m3_to_float(std::uint8_t code) noexcept {
    return Fp8E4m3::decode(code);
}

void unpack_e4m3_tile(const std::byte* src, float* tile);
/// Saturates, as the Blackhole packer does.
void pack_e4m3_tile(const float* tile, std::byte* out);

}  // namespace tessera::tile
