// SPDX-License-Identifier: Apache-2.0
// Reduction of a tile along its rows, its columns, or both.
#pragma once

#include <cstdint>

#include "emu/tile/eltwise.hpp"
#include "tessera/data_format.hpp"

namespace tessera::tile {

/// Avg differs from Sum only by the scaler that the kernel supplies.
enum class PoolType : std::uint8_t { Sum, Avg, Max };

/// Row: along the width, results in column 0. Column: along the height, results in row 0.
/// Scalar: both, result in [0][0].
enum class ReduceDim : std::uint8_t { Row, Column, Scalar };

struct ReduceMode {
    PoolType pool = PoolType::Sum;
    ReduceDim dim = ReduceDim::Row;
    /// Overwrite: DST is in its cleared state, which Sum reads as 0 and Max as −inf; every other
    /// element of `dst` becomes 0. Accumulate: combines with the results in DST and leaves the rest
    /// unchanged.
    DstUpdate update = DstUpdate::Accumulate;
    MathFidelity fidelity = MathFidelity::HiFi4;  ///< Sum and Avg: data → SrcA, scaler → SrcB
};

/// Reduces `in` into `dst`.
///
/// Scaler   row 0 of each of its faces is used: Sum and Avg multiply element i of a reduced run by
///          entry i of the face's row. Scalar reduces columns first, then multiplies the remaining
///          run by face 0's row, so the scaler counts twice: Avg over N elements takes 1/√N.
///          Max multiplies by 2^exponent of the scaler only; 0 stays 0.
/// Numeric  fp32, one chain of fused multiply-adds from the DST value on, in ascending index.
/// Source   tt-isa-documentation, GAPOOL and GMPOOL.
void reduce_tile(const ReduceMode& mode, const float* in, const float* scaler, float* dst);

/// Zeroes all but the result positions, like the packer's mask between reduce_init and
/// reduce_uninit.
void keep_reduced(ReduceDim dim, float* tile);

}  // namespace tessera::tile
