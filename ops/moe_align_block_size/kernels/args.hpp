// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of moe_align_block_size's kernel.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::moe_align_block_size {

// Scratch: tables in L1.
enum class Cb : std::uint32_t {
    Ids = 0,
    Map = 1,
    Experts = 2,  // counts, then positions of the next choice of each expert
    Sorted = 3,
    Blocks = 4,
    Rows = 5
};

NAMED_COMPILE_ARGS(AlignArgs, num_tokens, top_k,
                   ids_page,     // bytes of a token's ids in L1
                   num_experts,  // over all devices
                   block_size, entries, num_blocks,
                   has_map,          // 1: an expert's number on this device
                   ignores_invalid,  // 1: choices of other devices' experts are left out
                   tokens_at_once,   // rows of ids in L1
                   has_count);       // 1: only the first tokens choose
NAMED_TENSORS(AlignTensors, ids, map, sorted, blocks, total, rows, count);

}  // namespace tessera::ops::moe_align_block_size
