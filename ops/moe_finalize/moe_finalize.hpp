// SPDX-License-Identifier: Apache-2.0
// Returns permuted rows to their tokens and sums them with the routing weights, on one device.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::moe_finalize {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"rows", "(P, H)", "bfloat16", "ROW_MAJOR"},
    Operand{"expanded_idx_to_permuted_idx", "(X)", "int32", "ROW_MAJOR"},
    Operand{"expert_weights", "(T, K)", "bfloat16 | float32", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(T, H)", "bfloat16 | float32", "ROW_MAJOR"}};

/// Positions of operands by their names: "rows"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is 2^-9; twice that, for another order of summation.
inline constexpr OpSpec kSpec{
    .name = "moe_finalize",
    .summary = "weighted fp32 sum of each token's permuted rows on one device",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0x1p-8, .min_pcc = 0.99999},
};

/// Returns the op, for the registry.
///
/// output[t] = Σ_k expert_weights[t, k] · rows[expanded_idx_to_permuted_idx[t·K + k]] over k
/// upwards, in fp32. Weights of float32 are rounded to bfloat16 first, to nearest even. The sum is
/// rounded once to bfloat16, or not at all if a run asks for float32.
/// Entries of −1, experts of other devices, add nothing; a token without any other gets zeros.
/// Tokens are distributed over the cores by split_work_to_cores.
/// Source   TRT-LLM, finalizeKernel.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_finalize
