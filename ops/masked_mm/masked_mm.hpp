// SPDX-License-Identifier: Apache-2.0
// Grouped matrix product of batches: the first rows of each expert's batch times its weights.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"

namespace tessera::ops::masked_mm {

struct MaskedSpec : ProductSchedule {
    std::uint32_t parts = 1;  ///< see ScaledOperands
};

inline constexpr std::array<std::string_view, 2> kSchedules{"multi_core", "near_banks"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., H_in)", "bfloat16 | fp8_e4m3", "ROW_MAJOR"},
    kExpertWeightsOperand,
    Operand{.name = "expert_num_tokens",
            .shape = "any",
            .format = "int32 | uint32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    kExpertScalesOperand,
    kRowScalesOperand,
    kZeroPointsOperand,
    kExpertBiasOperand,
    kExpertFactorsOperand,
};
inline constexpr std::array kOutputs{Operand{"output", "(..., H_out)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "masked_mm",
    .summary =
        "multiplies the first rows of each expert's batch by its weights; other rows keep their "
        "values",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kProductTolerance,
};

/// Returns the op, for the registry: output[e,i,:] = input[e,i,:] · expert_weights[e]ᵀ for i <
/// expert_num_tokens[e]; other rows are neither read nor written.
///
/// Shapes   rows of any stack, equally many for each expert: (E/D,C,H_in), or (T,H_in) of one
///          expert; expert_num_tokens (E/D), or (E/D,1) as in the outputs of dispatches. Without
///          them all rows count.
/// Scales   of codes, of weights alone or of both operands: see ScaleShape.
/// Bias     of an expert's columns, added to the scaled sums before a routing weight.
/// Source   DeepGEMM, m_grouped_gemm_nt_masked.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::masked_mm
