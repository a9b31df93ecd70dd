// SPDX-License-Identifier: Apache-2.0
// SFPU operations on two DST tiles, or on one and a scalar, in fp32.
#pragma once

#include <cstdint>

namespace tessera::tile {

/// Rsub is b − a. Power is a^b through double precision; Max and Min give b where either is NaN.
enum class BinaryOp : std::uint8_t { Add, Sub, Rsub, Mul, Div, Max, Min, Power };

/// out = a ∘ b; the three may coincide.
void binary_tile(BinaryOp op, const float* a, const float* b, float* out);

/// tile = tile ∘ scalar.
void unary_with_scalar_tile(BinaryOp op, float* tile, float scalar);

}  // namespace tessera::tile
