// SPDX-License-Identifier: Apache-2.0
// All-gather of tokens that were quantised before, with their scales: half the bytes on the links,
// as FlashInferCutlassMoEPrepareAndFinalize.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

namespace all_gather {
std::string finalize(const Layer& layer, const std::string& partial, Steps& steps);
}  // namespace all_gather

namespace quantised_all_gather {

Dispatched prepare(const Layer& layer, Steps& steps) {
    // A scale for each token, so that codes and scales are gathered alike.
    steps.add("quantise", std::vector<std::string>{"own_codes", "own_scales"}, {layer.a},
              {{"block", "row"}});
    const auto gathered = [&](const std::string& tensor, const char* name) {
        return layer.ranks == 1 ? tensor : steps.add("all_gather", name, {tensor});
    };
    return {.activations = gathered("own_codes", "dispatched"),
            .tokens = layer.ranks * layer.rank_tokens(),
            .scales = gathered("own_scales", "dispatched_scales"),
            .ids = gathered(layer.topk_ids, "dispatched_ids"),
            .weights = gathered(layer.topk_weights, "dispatched_weights")};
}

std::string finalize(const Layer& layer, const std::string& partial, Steps& steps) {
    return all_gather::finalize(layer, partial, steps);
}

}  // namespace quantised_all_gather
}  // namespace tessera::ops::fused_moe
