// SPDX-License-Identifier: Apache-2.0
// Each token to the devices that have one of its experts, once a device, with counts that the
// devices alone know: as DeepEP's high-throughput kernels.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe::all_to_all_contiguous {

Dispatched prepare(const Layer& layer, Steps& steps) {
    // One device has all tokens and all experts: nothing is sent.
    if (layer.ranks == 1) {
        return {.activations = layer.a,
                .tokens = layer.tokens,
                .scales = layer.a_scales,
                .ids = layer.topk_ids,
                .weights = layer.topk_weights};
    }
    std::vector<std::string> outputs{"dispatched", "dispatched_ids", "dispatched_weights",
                                     "source",     "num_received",   "slots"};
    std::vector<std::string> inputs{layer.a, layer.topk_ids, layer.topk_weights};
    // Scales are sent with their rows, in the same step.
    if (layer.sends_scales()) {
        outputs.emplace_back("dispatched_scales");
        inputs.push_back(layer.a_scales);
    }
    const std::string rows = steps.add("moe_dispatch", std::move(outputs), std::move(inputs),
                                       {{"experts", std::to_string(layer.experts)}});
    // The room of the worst case. How many rows came is in num_received.
    return {.activations = rows,
            .tokens = layer.ranks * layer.rank_tokens(),
            .scales = layer.sends_scales() ? "dispatched_scales" : layer.a_scales,
            .ids = "dispatched_ids",
            .weights = "dispatched_weights",
            .num_tokens = "num_received"};
}

std::string finalize(const Layer& layer, const std::string& partial, Steps& steps) {
    return layer.ranks == 1
               ? partial
               : steps.add("moe_combine", "combined",
                           {partial, "source", "num_received", "slots", layer.topk_ids},
                           {{"experts", std::to_string(layer.experts)}});
}

}  // namespace tessera::ops::fused_moe::all_to_all_contiguous
