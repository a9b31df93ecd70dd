// SPDX-License-Identifier: Apache-2.0
// Takes choices of zero experts, which compute nothing, out of tables of chosen experts.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::split_zero_experts {

struct SplitSpec {
    std::uint32_t experts = 1;  ///< number of experts that compute
    GridSize grid;              ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"topk_ids", "(T, K)", "int32 | uint32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"routed_ids", "(T, K)", "=topk_ids", "ROW_MAJOR"},
    Operand{"own_rows", "(T, K)", "int32", "ROW_MAJOR"},
};

/// Positions of outputs by their names: "routed_ids"_out.
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "split_zero_experts",
    .summary = "separates choices of experts that compute from choices of zero experts",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry. Experts from `experts` on are zero experts:
///   routed_ids[t,k] = topk_ids[t,k], −1 for a zero expert
///   own_rows[t,k]   = t for a zero expert, else −1
/// An identity zero expert gives a token its own row times the weight of the choice: moe_sum of the
/// tokens by own_rows. Other zero experts give nothing. A choice of −1 names no expert.
///
/// Source   vLLM, zero_expert_num and zero_expert_type of FusedMoE.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::split_zero_experts
