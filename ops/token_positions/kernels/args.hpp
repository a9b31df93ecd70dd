// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernel of token_positions.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::token_positions {

// Scratch: tables in L1.
enum class Cb : std::uint32_t {
    Contexts = 0,
    Queries = 1,
    Positions = 2,
    Sequences = 3,
    Starts = 4
};

NAMED_COMPILE_ARGS(PositionsArgs, tokens, sequences);
NAMED_TENSORS(PositionsTensors, contexts, queries, positions, sequence_ids, starts);

}  // namespace tessera::ops::token_positions
