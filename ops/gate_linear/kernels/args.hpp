// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of gate_linear's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::gate_linear {

enum class Cb : std::uint32_t {
    TokenRows = 0,
    ExpertRows = 1,
    Tokens = 2,  // rows, tilized
    Experts = 3,
    Bias = 4,      // scratch: of the experts of a unit
    Partial = 5,   // sums over a member's part of K
    Gathered = 6,  // at the first member: partial sums of all
    Output = 16
};

// A unit is a tile of logits.
NAMED_COMPILE_ARGS(ReaderArgs, row_bytes,
                   chunk,         // K tiles of one push
                   expert_tiles,  // tiles of a row of logits
                   num_tokens, num_experts,
                   bias_bytes);  // bytes of an element of the bias; 0: none
NAMED_TENSORS(ReaderTensors, tokens, experts, bias);
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units);
/// Part of K of a core: all of it, or that of one of `members` cores that share a unit. The first
/// of these has the bias and finishes the sum.
NAMED_RUNTIME_ARGS(KPart, first_k, num_k, member);

NAMED_COMPILE_ARGS(ComputeArgs, chunk,
                   has_bias,  // 1: one more K tile, pushed by itself
                   members);
NAMED_RUNTIME_ARGS(UnitCount, num_units);

NAMED_COMPILE_ARGS(MemberArgs, members);
/// The first member as the NoC names it, and its semaphore of partial sums that have arrived.
NAMED_RUNTIME_ARGS(FirstMember, first_x, first_y, arrived_semaphore);

NAMED_COMPILE_ARGS(WriterArgs, expert_tiles, num_tokens, num_experts);
NAMED_TENSORS(WriterTensors, logits);

}  // namespace tessera::ops::gate_linear
