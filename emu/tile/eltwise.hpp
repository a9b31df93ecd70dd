// SPDX-License-Identifier: Apache-2.0
// Element-wise operations of the matrix unit (FPU) on two operand tiles.
// Operations of the vector unit on DST tiles are in dst_binary.hpp.
#pragma once

#include <cstdint>

#include "tessera/data_format.hpp"

namespace tessera::tile {

enum class EltwiseOp : std::uint8_t { Add, Sub, Mul };

/// Used part of operand B: its row 0 for all rows, its column 0 for all columns, or [0][0].
enum class Broadcast : std::uint8_t { None, Rows, Columns, Scalar };

/// Whether a result replaces what DST held or is added to it.
enum class DstUpdate : std::uint8_t { Overwrite, Accumulate };

struct EltwiseMode {
    Broadcast broadcast = Broadcast::None;
    DstUpdate update = DstUpdate::Overwrite;
    /// For Mul only: a → SrcA, b → SrcB.
    MathFidelity fidelity = MathFidelity::HiFi4;
};

/// Computes dst = a ∘ b, or dst += a ∘ b. `dst` may be one of the operands.
///
/// Numeric  fp32, one rounding (two when accumulating a sum or difference; one for HiFi3's further
///          pass). Operands are in source-register format: use unpack_to_source_tile.
/// Source   tt-isa-documentation, ELWADD, ELWSUB, ELWMUL.
void eltwise_tile(EltwiseOp op, const float* a, const float* b, float* dst, EltwiseMode mode = {});

/// Copies the part of `in` that `broadcast` names to a whole tile; may be in place.
void broadcast_tile(Broadcast broadcast, const float* in, float* out);

}  // namespace tessera::tile
