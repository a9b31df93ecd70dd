// SPDX-License-Identifier: Apache-2.0
// All-gather, reduce-scatter: every device gets the tokens of all, and the sums of its own back.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe::all_gather {
namespace {

std::string gathered(const Layer& layer, const std::string& tensor, const std::string& name,
                     Steps& steps) {
    return layer.ranks == 1 ? tensor : steps.add("all_gather", name, {tensor});
}

}  // namespace

Dispatched prepare(const Layer& layer, Steps& steps) {
    // Ids and weights travel with the tokens, so that each device finds its experts' choices by
    // itself.
    return {.activations = gathered(layer, layer.a, "dispatched", steps),
            .tokens = layer.ranks * layer.rank_tokens(),
            .scales = layer.sends_scales()
                          ? gathered(layer, layer.a_scales, "dispatched_scales", steps)
                          : layer.a_scales,
            .ids = gathered(layer, layer.topk_ids, "dispatched_ids", steps),
            .weights = gathered(layer, layer.topk_weights, "dispatched_weights", steps)};
}

std::string finalize(const Layer& layer, const std::string& partial, Steps& steps) {
    if (layer.ranks == 1) {
        return partial;
    }
    // fp32 partial sums: bfloat16 on the links would round once a device.
    return steps.add("reduce_scatter", "combined", {partial},
                     {{"algorithm", "bidirectional"}, {"partial_sums", "fp32"}});
}

}  // namespace tessera::ops::fused_moe::all_gather
