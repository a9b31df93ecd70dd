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
                .ids = layer.topk_ids,
                .weights = layer.topk_weights};
    }
    const std::string rows =
        steps.add("moe_dispatch",
                  std::vector<std::string>{"dispatched", "dispatched_ids", "dispatched_weights",
                                           "source", "num_received", "slots"},
                  {layer.a, layer.topk_ids, layer.topk_weights},
                  {{"experts", std::to_string(layer.experts)}});
    // The room of the worst case. How many rows came is in num_received.
    return {.activations = rows,
            .tokens = layer.ranks * layer.rank_tokens(),
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
