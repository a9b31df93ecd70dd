// SPDX-License-Identifier: Apache-2.0
// fp8 e5m2 (TT-Metalium: Lf8): bias 15, infinities and NaN as in IEEE, largest value 57344.
#pragma once

#include <cstddef>

#include "emu/tile/format/minifloat.hpp"

namespace tessera::tile {

using Fp8E5m2 = Minifloat<2, 15, 0x7B, 0x7C>;

/// Rounds to nearest even. Values beyond 61440 give infinity (Special) or 57344 (Saturate).
/// Source   OCP 8-bit floating point specification, revision 1.0.
[[nodiscard]] constexpr std::uint8_t e5m2_from_float(
    float value, Overflow overflow = Overflow::Special) noexcept {
    return Fp8E5m2::encode(value, overflow);
}
[[nodiscard]] constexpr float e5m2_to_float(std::uint8_t code) noexcept {
    return Fp8E5m2::decode(code);
}

void unpack_e5m2_tile(const std::byte* src, float* tile);
/// Overflow becomes infinity.
void pack_e5m2_tile(const float* tile, std::byte* out);

}  // namespace tessera::tile
