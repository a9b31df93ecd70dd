// SPDX-License-Identifier: Apache-2.0
// Broadcasts each device's tokens to all devices, one device after the other. Sums the results over
// all devices; each device keeps the rows of its own tokens. Source: vLLM's NaiveAll2AllManager.
#include <fmt/format.h>

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe::naive_broadcast {
namespace {

std::string multicast(const Layer& layer, const std::string& tensor, const std::string& name,
                      Steps& steps) {
    if (layer.ranks == 1) {
        return tensor;
    }
    const std::string rows = std::to_string(layer.ranks * layer.rank_tokens());
    // One root after the other, as vLLM's naive form: the baseline for the other dispatches.
    for (std::uint32_t root = 0; root < layer.ranks; ++root) {
        const std::string part = steps.add("broadcast", fmt::format("{}_of_{}", name, root),
                                           {tensor}, {{"root", std::to_string(root)}});
        const Settings place{{"rows", rows}, {"first", std::to_string(root * layer.rank_tokens())}};
        if (root == 0) {
            steps.add("put_rows", name, {part}, place);
        } else {
            steps.add_into("put_rows", fmt::format("{}_{}", name, root), name, {part, name}, place);
        }
    }
    return name;
}

}  // namespace

Dispatched prepare(const Layer& layer, Steps& steps) {
    return {.activations = multicast(layer, layer.a, "dispatched", steps),
            .tokens = layer.ranks * layer.rank_tokens(),
            .scales = layer.sends_scales()
                          ? multicast(layer, layer.a_scales, "dispatched_scales", steps)
                          : layer.a_scales,
            .ids = multicast(layer, layer.topk_ids, "dispatched_ids", steps),
            .weights = multicast(layer, layer.topk_weights, "dispatched_weights", steps)};
}

std::string finalize(const Layer& layer, const std::string& partial, Steps& steps) {
    if (layer.ranks == 1) {
        return partial;
    }
    const std::string rows = std::to_string(layer.rank_tokens());
    // Every device has the sum of all tokens and keeps its own.
    return steps.add("slice_rows", "combined", {steps.add("all_reduce", "summed", {partial})},
                     {{"rows", rows}, {"stride", rows}});
}

}  // namespace tessera::ops::fused_moe::naive_broadcast
