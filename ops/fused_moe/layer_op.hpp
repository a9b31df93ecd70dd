// SPDX-License-Identifier: Apache-2.0
// Declarations that the sources of the op share: its operands by name, and rules.
#pragma once

#include "ops/fused_moe/fused_moe.hpp"
#include "ops/fused_moe/selection.hpp"

namespace tessera::ops::fused_moe {

// Operands whose values are checked, and optional ones.
inline constexpr std::size_t kTokens = "a"_in;
inline constexpr std::size_t kW1 = "w1"_in;
inline constexpr std::size_t kW2 = "w2"_in;
inline constexpr std::size_t kTopkIds = "topk_ids"_in;
inline constexpr std::size_t kExpertMap = "expert_map"_in;
inline constexpr std::size_t kSharedW1 = "shared_w1"_in;
inline constexpr std::size_t kSharedW2 = "shared_w2"_in;
inline constexpr std::size_t kExpertPlaces = "expert_places"_in;
// Operands that weights in codes have.
inline constexpr std::size_t kW1Scale = "w1_scale"_in;
inline constexpr std::size_t kW2Scale = "w2_scale"_in;
inline constexpr std::size_t kW1ZeroPoints = "w1_zp"_in;
inline constexpr std::size_t kW2ZeroPoints = "w2_zp"_in;
inline constexpr std::size_t kA1Scale = "a1_scale"_in;
inline constexpr std::size_t kA2Scale = "a2_scale"_in;
inline constexpr std::size_t kW1Bias = "w1_bias"_in;
inline constexpr std::size_t kW2Bias = "w2_bias"_in;
inline constexpr std::size_t kW1Factors = "w1_scale_2"_in;
inline constexpr std::size_t kW2Factors = "w2_scale_2"_in;

/// Operands of one of the two weights.
struct WeightOperands {
    std::size_t codes;
    std::size_t scale;
    std::size_t zero_points;
    std::size_t factors;
};
inline constexpr WeightOperands kW1Operands{kW1, kW1Scale, kW1ZeroPoints, kW1Factors};
inline constexpr WeightOperands kW2Operands{kW2, kW2Scale, kW2ZeroPoints, kW2Factors};

/// Returns whether the activation multiplies with a gate.
[[nodiscard]] bool is_gated(Activation activation);

/// Returns the matrices in w1 whose scale blocks start at their own first row: gate and up, one
/// after the other.
[[nodiscard]] std::uint32_t w1_parts(const MoeSpec& spec);

/// Sizes that decide which parts go together.
struct LayerSize {
    DispatchSizes dispatch;
    std::uint32_t local_experts;  ///< slots of a device
};

/// Returns the sizes of a layer on `ranks` devices. `shape_of(place)` is the shape of an operand of
/// a device.
template <class ShapeOf>
[[nodiscard]] LayerSize size_of(const MoeSpec& spec, std::uint32_t ranks, const ShapeOf& shape_of) {
    const Shape& tokens = shape_of(kTokens);
    return {.dispatch = {.ranks = ranks,
                         .tokens = tokens[0] * (spec.tokens == Tokens::Own ? ranks : 1),
                         .hidden = tokens[1],
                         .experts = shape_of(kExpertMap)[0],
                         .top_k = shape_of(kTopkIds)[1],
                         .has_own_tokens = spec.tokens == Tokens::Own},
            .local_experts = shape_of(kW1)[0]};
}

/// Returns what decides which parts go together. A chunk that holds all tokens is no chunk.
[[nodiscard]] Situation situation_of(const MoeSpec& spec, const LayerSize& size, DataFormat ids,
                                     bool has_bias);

/// Returns the parameters, with `auto` replaced by the chosen rows.
[[nodiscard]] MoeSpec chosen_spec(const OpContext& context);

// Functions of the op's row (ops/op.hpp).
/// Checks the keys `fields` and the operands of a layer.
void judge_layer(std::span<const config::Field> fields, const OpContext& context, RuleJudge& judge);
/// Computes a layer token by token.
[[nodiscard]] std::vector<HostTensor> layer_reference(const ReferenceContext& context);
/// Checks ids, maps and exponents before a run.
void check_layer_values(const ReferenceContext& context);

}  // namespace tessera::ops::fused_moe
