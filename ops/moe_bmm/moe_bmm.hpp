// SPDX-License-Identifier: Apache-2.0
// Batched matrix product of a MoE projection: each expert's routed tokens times its weights.
#pragma once

#include <array>

#include "ops/op_spec.hpp"
#include "ops/valid_tiles/valid_tiles.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::moe_bmm {

inline constexpr std::array<std::string_view, 2> kSchedules{"multi_core", "single_core"};
inline constexpr std::array kInputs{
    Operand{"input_hidden_state", "(E/D,T,H_in)", "bfloat16", "TILE"},
    Operand{"expert_weights", "(E/D,H_in,H_out)", "bfloat16", "TILE"},
    Operand{"num_routed_tokens", "(E/D,1)", "uint32", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{Operand{"output", "(E/D,T,H_out)", "bfloat16", "TILE"}};
/// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element; the rest is for fp32 sums.
/// Holds for HiFi4 and fp32 DST only.
inline constexpr OpSpec kSpec{
    .name = "moe_bmm",
    .summary = "each expert's routed tokens times its weights, other rows zero",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999},
};

struct Inputs {
    const DeviceTensor& input_hidden_state;
    const DeviceTensor& expert_weights;
    RoutedTokens num_routed_tokens;
};
struct Outputs {
    const DeviceTensor& output;
};

/// (E/D,T,H_out) from the specs of both operands.
/// Errors   UsageError if an operand is not a bfloat16 tensor of rank 3 in TILE layout, or their
///          numbers of experts or inner extents differ.
[[nodiscard]] TensorSpec output_spec(const TensorSpec& input_hidden_state,
                                     const TensorSpec& expert_weights);

/// Builds the launch.
///
/// Output-stationary: the unit of work is a subblock of output tiles of one expert, whose sums stay
/// in DST over all of K. Only the ceil(num_routed_tokens / 32) rows of tiles that hold tokens are
/// cut into subblocks (the last ones of a row or column are smaller), counted expert by expert, row
/// by row. SingleCore: core (0,0) takes them all. MultiCore: split_work_to_cores over the grid,
/// neighbours together (Block) or in turn (RoundRobin). No core talks to another.
///
/// The reader finds its subblocks from num_routed_tokens in device memory. Each push into an input
/// buffer has the pages of a whole block of K and a whole subblock, also where the last ones hold
/// fewer tiles: a buffer's pages must be a multiple of every push.
///
/// Numeric  every output element is zero beyond its expert's tokens, whatever the input holds
///          there: rows of a product do not mix, and the writer clears those rows.
/// Errors   UsageError for wrong shapes, formats, layouts or counts, or sharded tensors; a grid
///          larger than the device's; k_block, cb_depth or a side of the subblock 0; a subblock of
///          more tiles than half of DST holds.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Inputs& inputs,
                                   const Outputs& outputs, const MoeBmmSpec& schedule);

/// Float32 (E/D,T,H_out) from bfloat16 or float32 operands, summed in double; zero beyond each
/// expert's tokens.
[[nodiscard]] HostTensor reference(const HostTensor& input_hidden_state,
                                   const HostTensor& expert_weights,
                                   std::span<const std::uint32_t> num_routed_tokens);

}  // namespace tessera::ops::moe_bmm
