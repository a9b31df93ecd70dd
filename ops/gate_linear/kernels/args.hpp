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
    Output = 16
};

// A unit is a tile of logits.
NAMED_COMPILE_ARGS(ReaderArgs, row_bytes,
                   chunk,         // K tiles of one push
                   expert_tiles,  // of a row of logits
                   num_tokens, num_experts);
NAMED_TENSORS(ReaderTensors, tokens, experts);
NAMED_RUNTIME_ARGS(UnitRange, first_unit, num_units);

NAMED_COMPILE_ARGS(ComputeArgs, k_tiles, chunk);
NAMED_RUNTIME_ARGS(UnitCount, num_units);

NAMED_COMPILE_ARGS(WriterArgs, expert_tiles, num_tokens, num_experts);
NAMED_TENSORS(WriterTensors, logits);

}  // namespace tessera::ops::gate_linear
