// SPDX-License-Identifier: Apache-2.0
// Gathers the tokens of each local expert: the first step of the MoE pipeline after routing.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::scatter_moe_input {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"hidden_states", "(T, H)", "bfloat16", "ROW_MAJOR"},
    Operand{"num_routed_tokens", "(E/D, 1)", "uint32", "ROW_MAJOR"},
    Operand{"routed_tokens", "(E/D, T)", "uint32", "ROW_MAJOR", "num_routed_tokens"}};
inline constexpr std::array kOutputs{Operand{"scattered", "(E/D, T, H)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "hidden_states"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "scatter_moe_input",
    .summary = "copies the token rows of each local expert and fills the rest with zeros",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
/// scattered[e,i,:] = hidden_states[routed_tokens[e,i],:] for i < num_routed_tokens[e], else 0.
///
/// Rows of the output are distributed over the cores by split_work_to_cores. The reader gathers
/// rows; the writer stores them and the zero rows between them. Rows longer than a page of the
/// circular buffer are split into pieces, so any H is supported.
///
/// Shapes   as in Inputs and Outputs; counts at most T and tokens below T.
[[nodiscard]] const Op& op();

/// Returns the same result by plain loops.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::scatter_moe_input
