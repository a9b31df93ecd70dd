// SPDX-License-Identifier: Apache-2.0
// Returns expert outputs to token order and sums them with their routing weights, on one
// device. The sum over devices is all_reduce's.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Format and rounding of a token's running sum.
enum class ReduceAccumulator : std::uint8_t { Fp32, Bf16Rne, Bf16Truncate };

struct LocalReduceSpec {
    ReduceAccumulator accumulator = ReduceAccumulator::Fp32;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< token rows that each CB holds
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::ReduceAccumulator>{
    EnumName<ops::ReduceAccumulator>{"fp32", ops::ReduceAccumulator::Fp32},
    EnumName<ops::ReduceAccumulator>{"bf16_rne", ops::ReduceAccumulator::Bf16Rne},
    EnumName<ops::ReduceAccumulator>{"bf16_truncate", ops::ReduceAccumulator::Bf16Truncate},
};

}  // namespace tessera::config

namespace tessera::ops::local_reduce_moe_output {

inline constexpr std::array<std::string_view, 3> kSchedules{"fp32", "bf16_rne", "bf16_truncate"};
inline constexpr std::array kInputs{
    Operand{"expert_outputs", "(E/D, T, H)", "bfloat16", "ROW_MAJOR", "num_routed_tokens"},
    Operand{"token_idx_map", "(E/D, T)", "uint32", "ROW_MAJOR", "num_routed_tokens"},
    Operand{"routed_token_weights", "(E/D, T)", "bfloat16", "ROW_MAJOR", "num_routed_tokens"},
    Operand{"num_routed_tokens", "(E/D, 1)", "uint32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{Operand{"local", "(T, H)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "expert_outputs"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "local_reduce_moe_output",
    .summary = "weighted sum of each token's expert outputs on one device",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    // One rounding to bfloat16 is 2^-9; twice that, for another order of summation.
    .tolerance = {.max_relative_error = 0x1p-8, .min_pcc = 0.99999},
};

/// Returns the op, for the registry.
///
/// local[t,:] = Σ expert_outputs[e,i,:] · routed_token_weights[e,i] over all e and i <
/// num_routed_tokens[e] with token_idx_map[e,i] = t; local experts ascending. Rows and entries
/// after the counts are never read. If an expert lists a token twice, its first entry counts.
///
/// Tokens are distributed over the cores by split_work_to_cores. Fp32: the compute kernel scales
/// and sums rows in DST and rounds once. Bf16Rne, Bf16Truncate: the writer's core adds in scalar
/// fp32 code to a bfloat16 sum. The sum is rounded to nearest even, or truncated, after every
/// expert. The tt-metal kernel truncates.
///
/// Source   MoE plan V2, local_reduce_moe_output.
[[nodiscard]] const Op& op();

/// Returns the reference of a step. It reads only the rows of expert_outputs that hold tokens.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::local_reduce_moe_output
