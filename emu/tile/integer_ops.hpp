// SPDX-License-Identifier: Apache-2.0
// Operations on integers in DST slots (format/integer.hpp): 32 bits wide, wrapping.
#pragma once

#include <cstdint>

namespace tessera::tile {

enum class IntegerOp : std::uint8_t {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    ShiftLeft,   ///< 0 if the count is 32 or more
    ShiftRight,  ///< logical; 0 if the count is 32 or more
};

/// out = a ∘ b; the three may coincide.
void integer_tile(IntegerOp op, const float* a, const float* b, float* out);

/// tile = tile ∘ scalar.
void integer_with_scalar_tile(IntegerOp op, float* tile, std::uint32_t scalar);

/// Inverts every bit of every slot.
void bitwise_not_tile(float* tile);

/// Sets every slot to `value`.
void fill_integer_tile(float* tile, std::uint32_t value);

}  // namespace tessera::tile
