// SPDX-License-Identifier: Apache-2.0
// Operations of the matrix unit on int8 operands, which give int32 in DST. Operands are tiles in
// memory (format/integer.hpp); results are exact, and sums wrap at 32 bits.
// Source   tt-isa-documentation, ELWADD, ELWMUL, MVMUL: integer "8" operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/tile/eltwise.hpp"
#include "emu/tile/matmul.hpp"

namespace tessera::tile {

/// dst = a ∘ b, or dst += a ∘ b. `row` of b serves all rows for Broadcast::Rows.
void eltwise_int8_tile(EltwiseOp op, const std::byte* a, const std::byte* b, float* dst,
                       const EltwiseMode& mode, std::uint32_t row = 0);

/// dst += in0 · in1, or in0 times in1 transposed.
void matmul_int8_tile(const std::byte* in0, const std::byte* in1, Orientation in1_orientation,
                      float* dst);

}  // namespace tessera::tile
