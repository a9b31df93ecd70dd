// SPDX-License-Identifier: Apache-2.0
// Each token to each of its experts, into the expert's batch, and back weighed and summed: as
// DeepEP's low-latency kernels; and the same with a cap of tokens that drops what has no room: as
// pplx.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {
namespace {

Dispatched dispatch_batches(const Layer& layer, std::uint32_t capacity, const char* overflow,
                            Steps& steps) {
    std::vector<std::string> outputs{"batched_activations", "source", "expert_num_tokens", "slots"};
    std::vector<std::string> inputs{layer.a, layer.topk_ids, layer.topk_weights};
    // Scales are sent with their rows, in the same step.
    if (layer.sends_scales()) {
        outputs.emplace_back("batched_scales");
        inputs.push_back(layer.a_scales);
    }
    const std::string rows =
        steps.add("moe_dispatch_batched", std::move(outputs), std::move(inputs),
                  {{"experts", std::to_string(layer.experts)},
                   {"capacity", std::to_string(capacity)},
                   {"overflow", overflow}});
    return {.activations = rows,
            .tokens = layer.rank_tokens(),
            .scales = layer.sends_scales() ? "batched_scales" : layer.a_scales,
            .ids = layer.topk_ids,
            .weights = layer.topk_weights,
            .expert_num_tokens = "expert_num_tokens",
            .num_routed_tokens = "expert_num_tokens",
            .rows = "slots",
            .capacity = capacity};
}

std::string combine_batches(const Layer& layer, const std::string& batches, Steps& steps) {
    std::vector<std::string> inputs{batches, "source", "expert_num_tokens", "slots"};
    // Weights were applied to the tokens, or they are applied to the sum.
    if (!layer.apply_router_weight_on_input) {
        inputs.push_back(layer.topk_weights);
    }
    return steps.add("moe_combine_batched", "combined", std::move(inputs),
                     {{"experts", std::to_string(layer.experts)}});
}

}  // namespace

namespace all_to_all_batched {

std::uint32_t capacity(const Layer& layer) {
    // Room for all tokens of all devices: nothing can overflow, so that an overflow is a fault.
    return layer.ranks * layer.rank_tokens();
}

Dispatched prepare(const Layer& layer, Steps& steps) {
    return dispatch_batches(layer, capacity(layer), "fail", steps);
}

std::string finalize(const Layer& layer, const std::string& batches, Steps& steps) {
    return combine_batches(layer, batches, steps);
}

}  // namespace all_to_all_batched

namespace all_to_all_capped {

std::uint32_t capacity(const Layer& layer) {
    // Room for a cap of tokens of each device; more are dropped, as pplx does.
    return layer.ranks * layer.max_num_tokens_per_rank();
}

Dispatched prepare(const Layer& layer, Steps& steps) {
    return dispatch_batches(layer, capacity(layer), "drop", steps);
}

std::string finalize(const Layer& layer, const std::string& batches, Steps& steps) {
    return combine_batches(layer, batches, steps);
}

}  // namespace all_to_all_capped
}  // namespace tessera::ops::fused_moe
