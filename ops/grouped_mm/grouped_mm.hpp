// SPDX-License-Identifier: Apache-2.0
// Grouped matrix product over a list of blocks, each of one expert.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"

namespace tessera::ops::grouped_mm {

/// Meaning of an entry of the list: the row of a matrix that it names.
enum class RowsBy : std::uint8_t { Choice, Place };

struct GroupedSpec : ProductSchedule {
    std::uint32_t block_size = 16;
    std::uint32_t top_k = 1;        ///< choices of one input row, where rows are by choice
    std::uint32_t num_choices = 0;  ///< T·K; 0: input rows times top_k
    RowsBy input_rows = RowsBy::Choice;
    RowsBy output_rows = RowsBy::Choice;
    bool apply_weights = true;  ///< if there are topk_weights
    std::uint32_t parts = 1;    ///< see ScaledOperands
};

inline constexpr std::array<std::string_view, 2> kSchedules{"multi_core", "near_banks"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., H_in)", "bfloat16 | fp8_e4m3", "ROW_MAJOR"},
    kExpertWeightsOperand,
    Operand{"sorted_token_ids", "(P)", "int32", "ROW_MAJOR"},
    Operand{"expert_ids", "(B)", "int32", "ROW_MAJOR"},
    Operand{"num_tokens_post_padded", "(1)", "int32", "ROW_MAJOR"},
    Operand{.name = "topk_weights",
            .shape = "(T, K)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    kExpertScalesOperand,
    kRowScalesOperand,
    kZeroPointsOperand,
    kExpertBiasOperand,
    kExpertFactorsOperand,
};
inline constexpr std::array kOutputs{Operand{"output", "any", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "grouped_mm",
    .summary = "rows of a list of blocks times the weights of each block's expert",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kProductTolerance,
};

/// Returns the op, for the registry. For each entry of the list (moe_align_block_size) it computes
/// the product of its input row with its block's expert_weights[e], times its routing weight if
/// given.
///
/// Shapes   an entry refers to choice id: input row id / top_k, output row id. Or it refers to its
///          position in the list, if rows were permuted before or stay permuted. Output rows are
///          T·K, or P. With one choice per input row the output has the input's shape.
/// Scales   of codes, of weights alone or of both operands: see ScaleShape.
/// Bias     of an expert's columns, added to the scaled sums before a routing weight.
/// Blocks   of expert −1 give zeros by choice, and nothing by place. Rows without an entry are not
///          written.
/// Source   vLLM, fused_moe_kernel (choice, choice) and DeepGEMM's m_grouped_gemm (place, place).
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::grouped_mm

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::grouped_mm::RowsBy>{
    EnumName<ops::grouped_mm::RowsBy>{"choice", ops::grouped_mm::RowsBy::Choice},
    EnumName<ops::grouped_mm::RowsBy>{"place", ops::grouped_mm::RowsBy::Place},
};

}  // namespace tessera::config
