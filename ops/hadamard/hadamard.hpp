// SPDX-License-Identifier: Apache-2.0
// Rows times the Hadamard matrix, scaled to be orthogonal.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/row_strips/row_strips.hpp"

namespace tessera::ops::hadamard {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., C)", "bfloat16", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., C)", "bfloat16 | float32", "ROW_MAJOR"}};
/// One rounding to bfloat16 of an fp32 sum, near 0 for some elements.
inline constexpr OpSpec kSpec{
    .name = "hadamard",
    .summary = "multiplies rows by the Hadamard matrix over the root of its size",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.0045, .min_pcc = 0.99999},
};

/// Returns the op, for the registry: output[r,c] = C^-½ · Σ_k (−1)^popcount(k & c) · input[r,k], C
/// a power of two up to 128. The matrix unit multiplies with ±1, which is exact; the DeepSeek-V3.2
/// indexer spreads outliers so before it quantises.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::hadamard
