// SPDX-License-Identifier: Apache-2.0
// Tables that put a device's tokens in batches, one for each of its experts.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::moe_batch_tokens {

struct BatchSpec {
    std::uint32_t num_local_experts = 4;
    std::uint32_t max_num_tokens = 8;  ///< row capacity of each expert
};

inline constexpr std::array<std::string_view, 1> kSchedules{"single_core"};
inline constexpr std::array kInputs{
    Operand{"topk_ids", "(T, K)", "int32 | uint32", "ROW_MAJOR"},
    Operand{"expert_map", "(E)", "int32", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"expert_num_tokens", "(L)", "int32", "ROW_MAJOR"},
    Operand{"token_ids", "(L, C)", "int32", "ROW_MAJOR"},
    Operand{"rows", "(T, K)", "int32", "ROW_MAJOR"},
    Operand{"num_routed_tokens", "(L, 1)", "uint32", "ROW_MAJOR"},
};

/// Positions of operands by their names: "topk_ids"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "moe_batch_tokens",
    .summary = "lists the tokens of each local expert and the place of each choice",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
///   expert_num_tokens  choices of each local expert
///   token_ids          their tokens, ascending; −1 after them
///   rows               of each choice e·max_num_tokens + j, its index in token_ids; −1 if its
///                      expert is not on this device, or has no space left for it
///
///   num_routed_tokens  expert_num_tokens in the form of V2's ops
///
/// A choice is dropped if its expert has no space for it; choices of later tokens are dropped
/// first, as a fixed capacity requires. max_num_tokens of T drops none. One core reads topk_ids
/// once.
/// Source   vLLM, BatchedPrepareAndFinalize.prepare.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_batch_tokens
