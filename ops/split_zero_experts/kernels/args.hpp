// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of split_zero_experts's kernel.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::split_zero_experts {

// Scratch: a token's choices, and the rows of its zero experts.
enum class Cb : std::uint32_t { Ids = 0, Rows = 1 };

NAMED_COMPILE_ARGS(SplitArgs, top_k,
                   experts);  // those from this number on are zero experts
NAMED_RUNTIME_ARGS(SplitRange, first_token, num_tokens);
NAMED_TENSORS(SplitTensors, ids, routed, rows);

}  // namespace tessera::ops::split_zero_experts
