// SPDX-License-Identifier: Apache-2.0
// Batches without communication: every device has all tokens, and copies those of each of its
// experts into the expert's batch. The reference of the batched format.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe::batched {

std::uint32_t capacity(const Layer& layer) {
    return layer.max_num_tokens == 0 ? layer.tokens : layer.max_num_tokens;
}

Dispatched prepare(const Layer& layer, Steps& steps) {
    // Counts come in two forms: a table for lists, one a page for masked products.
    steps.add("moe_batch_tokens",
              {"expert_num_tokens", "token_ids", "batch_rows", "num_routed_tokens"},
              {layer.topk_ids, layer.expert_map},
              {{"num_local_experts", std::to_string(layer.local_experts)},
               {"max_num_tokens", std::to_string(capacity(layer))}});
    // Entries without a token give rows of fill, which no product reads.
    return {.activations = steps.add("gather_rows", "batched_activations", {layer.a, "token_ids"}),
            .tokens = layer.tokens,
            .ids = layer.topk_ids,
            .weights = layer.topk_weights,
            .expert_num_tokens = "expert_num_tokens",
            .num_routed_tokens = "num_routed_tokens",
            .rows = "batch_rows",
            .capacity = capacity(layer)};
}

std::string finalize(const Layer& /*layer*/, const std::string& partial, Steps& /*steps*/) {
    return partial;
}

}  // namespace tessera::ops::fused_moe::batched
