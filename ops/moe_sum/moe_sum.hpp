// SPDX-License-Identifier: Apache-2.0
// The sum of each token's expert outputs, perhaps weighted: what TopKWeightAndReduce does.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::moe_sum {

/// Format of the running sum.
enum class Accumulator : std::uint8_t { ByTopK, Bf16, Fp32 };
/// Meaning of the table of rows.
enum class RowsSay : std::uint8_t { Place, Presence };
/// Order in which contributions are added.
enum class SumOrder : std::uint8_t { Choice, Row };

struct SumSpec {
    Accumulator accumulator = Accumulator::ByTopK;
    RowsSay rows = RowsSay::Place;
    SumOrder order = SumOrder::Choice;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< contributions that a CB holds

    /// Returns whether the sum over `top_k` contributions is rounded to bfloat16 after each.
    [[nodiscard]] bool rounds_every_sum(std::uint32_t top_k) const {
        return accumulator == Accumulator::Bf16 ||
               (accumulator == Accumulator::ByTopK && top_k >= 2 && top_k <= 4);
    }
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"expert_outputs", "any", "bfloat16", "ROW_MAJOR"},
    Operand{.name = "rows",
            .shape = "(T, K)",
            .format = "int32 | uint32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "topk_weights",
            .shape = "(T, K)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "(T, H)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "expert_outputs"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "moe_sum",
    .summary = "sums the expert outputs of each token, with or without weights",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: output[t,:] = Σ_k bf16(topk_weights[t,k] ·
/// expert_outputs[row,:]).
///
/// Shapes   without `rows` expert_outputs are (T,K,H) and row is t·K + k; with it they are rows of
///          any stack, and row is rows[t,k] (Place) or t·K + k (Presence). A choice whose entry is
///          −1 adds nothing, and its row is not read. Without weights rows are added unweighted.
/// Numeric  products are rounded to bfloat16. The sum starts at 0 and is rounded to bfloat16 after
///          every addition for K of 2 to 4, else at the end only (ByTopK: vLLM's moe_sum), or as
///          `accumulator` says. `order` Row adds rows in ascending order, which in a batch are
///          experts in ascending order: NaiveBatched with a Bf16 accumulator.
/// Source   vLLM, csrc/moe/moe_align_sum_kernels.cu (moe_sum_kernel), topk_weight_and_reduce.py.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_sum

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::moe_sum::Accumulator>{
    EnumName<ops::moe_sum::Accumulator>{"by_top_k", ops::moe_sum::Accumulator::ByTopK},
    EnumName<ops::moe_sum::Accumulator>{"bf16", ops::moe_sum::Accumulator::Bf16},
    EnumName<ops::moe_sum::Accumulator>{"fp32", ops::moe_sum::Accumulator::Fp32},
};
template <>
inline constexpr std::array kEnumNames<ops::moe_sum::RowsSay>{
    EnumName<ops::moe_sum::RowsSay>{"place", ops::moe_sum::RowsSay::Place},
    EnumName<ops::moe_sum::RowsSay>{"presence", ops::moe_sum::RowsSay::Presence},
};
template <>
inline constexpr std::array kEnumNames<ops::moe_sum::SumOrder>{
    EnumName<ops::moe_sum::SumOrder>{"choice", ops::moe_sum::SumOrder::Choice},
    EnumName<ops::moe_sum::SumOrder>{"row", ops::moe_sum::SumOrder::Row},
};

}  // namespace tessera::config
