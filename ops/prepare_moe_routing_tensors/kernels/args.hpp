// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of prepare_moe_routing_tensors' kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::prepare_moe_routing_tensors {

enum class Cb : std::uint32_t {
    Selected = 0,  // the experts of a block of tokens, reader to builder
    Weights = 1,
    // The others are plain memory of the builder.
    LocalExperts = 2,
    TokenTables = 3,
    WeightTables = 4,
    Counts = 5
};

// Bytes from one expert's count to the next: writes are aligned to it.
inline constexpr std::uint32_t kCountStride = 16;

// Sizes that reader and builder share.
NAMED_COMPILE_ARGS(TableArgs, num_tokens, top_k,
                   selected_page,  // bytes of one token's experts, aligned for reads from DRAM
                   weights_page,
                   block,    // token rows per push
                   entries,  // entries of an expert's tables held in L1
                   group);   // experts whose tables are built in one pass over the tokens

NAMED_TENSORS(ReaderTensors, selected, weights);
// After the addresses of the tensors.
NAMED_RUNTIME_ARGS(ReaderWork, num_experts);

NAMED_COMPILE_ARGS(BuilderArgs, num_local_experts);
NAMED_TENSORS(BuilderTensors, local_experts, counts, routed, weights, map);
// After the addresses of the tensors.
NAMED_RUNTIME_ARGS(ExpertRange, first_expert, num_experts);

}  // namespace tessera::ops::prepare_moe_routing_tensors
