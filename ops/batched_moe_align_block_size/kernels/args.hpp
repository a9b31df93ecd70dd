// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of batched_moe_align_block_size's kernel.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::batched_moe_align_block_size {

// Scratch: tables in L1.
enum class Cb : std::uint32_t { Counts = 0, Sorted = 1, Blocks = 2 };

NAMED_COMPILE_ARGS(AlignArgs, num_experts,
                   max_tokens,  // row capacity of each expert
                   block_size, entries, num_blocks,
                   is_paged);  // 1: each count has a page of its own
NAMED_TENSORS(AlignTensors, counts, sorted, blocks, total);

}  // namespace tessera::ops::batched_moe_align_block_size
