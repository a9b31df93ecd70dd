// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of moe_batch_tokens's kernel.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::moe_batch_tokens {

// Scratch: tables in L1.
enum class Cb : std::uint32_t {
    Ids = 0,
    Map = 1,
    Counts = 2,
    Tokens = 3,
    Rows = 4,
    PagedCounts = 5
};

NAMED_COMPILE_ARGS(BatchArgs, num_tokens, top_k,
                   ids_page,        // bytes of a token's ids in L1
                   num_experts,     // over all devices
                   num_local,       // experts of this device
                   capacity,        // row capacity of each local expert
                   batch_stride,    // bytes of an expert's row of tokens in L1
                   tokens_at_once,  // rows of ids in L1
                   count_stride);   // bytes between counts that are stored as pages
NAMED_TENSORS(BatchTensors, ids, map, counts, tokens, rows, paged_counts);

}  // namespace tessera::ops::moe_batch_tokens
