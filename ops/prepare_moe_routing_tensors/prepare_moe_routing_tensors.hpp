// SPDX-License-Identifier: Apache-2.0
// Turns the router's choice of experts into one device's routing tables: which tokens each of its
// experts takes, and with which weights.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"selected_experts", "(T, K)", "uint32", "ROW_MAJOR"},
                                    Operand{"routing_weights", "(T, K)", "bfloat16", "ROW_MAJOR"},
                                    Operand{"local_experts", "(E/D)", "int32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"num_routed_tokens", "(E/D, 1)", "uint32", "ROW_MAJOR"},
    Operand{"routed_tokens", "(E/D, T)", "uint32", "ROW_MAJOR", "num_routed_tokens"},
    Operand{"routed_token_weights", "(E/D, T)", "bfloat16", "ROW_MAJOR", "num_routed_tokens"},
    Operand{"token_idx_map", "(E/D, T)", "uint32", "ROW_MAJOR", "num_routed_tokens"}};

/// Positions of operands by their names: "selected_experts"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "prepare_moe_routing_tensors",
    .summary = "tokens and weights of each local expert, from the router's choices",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
/// For local expert l with global id g = local_experts[l]:
///   num_routed_tokens[l]      number of tokens with g among their K experts,
///   routed_tokens[l,:]        these tokens, ascending; kNoToken after them,
///   token_idx_map[l,:]        position → token: the same values,
///   routed_token_weights[l,:] the weight of g for each of them; 0 after them.
/// A token that names g twice counts once, with its first weight. A slot l with kNoExpert, on a
/// device that has fewer experts than others, has no tokens.
///
/// Experts are distributed over the cores by split_work_to_cores. Every core streams the whole
/// selected_experts and routing_weights, `cb_depth` blocks of token rows at a time. A core with
/// more experts than its L1 has tables for streams them again for the next experts.
///
/// Source   MoE plan V2, "Prepare Routing"; padding as the tt-metal kernel writes it.
[[nodiscard]] const Op& op();

/// Entry of the two token tables after an expert's tokens.
inline constexpr std::uint32_t kNoToken = 0xFFFFFFFF;

/// Entry of local_experts in a slot without an expert.
inline constexpr std::int32_t kNoExpert = -1;

/// Returns the same result, padding included, by plain loops.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

/// Checks what a router chose, for all devices of the group together.
/// Errors   UsageError naming tensor, position, value and what is allowed: an expert id out of
///          range, an expert twice among local_experts or in a token's row.
void check_values(const ReferenceContext& context);

}  // namespace tessera::ops::prepare_moe_routing_tensors
