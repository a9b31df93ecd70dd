// SPDX-License-Identifier: Apache-2.0
// Operations on the integers that DST slots hold as bit patterns (format/integer.hpp), 32 bits
// wide, wrapping.
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
    ShiftLeft,   ///< 0 where the count is 32 or more
    ShiftRight,  ///< logical; 0 where the count is 32 or more
};

/// out = a ∘ b; the three may coincide.
void integer_tile(IntegerOp op, const float* a, const float* b, float* out);

/// tile = tile ∘ scalar.
void integer_with_scalar_tile(IntegerOp op, float* tile, std::uint32_t scalar);

/// Every bit of every slot inverted.
void bitwise_not_tile(float* tile);

/// Every slot holds `value`.
void fill_integer_tile(float* tile, std::uint32_t value);

}  // namespace tessera::tile
