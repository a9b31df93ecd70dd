// SPDX-License-Identifier: Apache-2.0
// Products of e4m3 with a scale for each row of activations and each expert's weights, contiguous
// and batched: as CutlassExpertsFP8 with per-token activations. Activations that were dispatched in
// fp8 are taken as they come.
#include <algorithm>

#include "ops/fused_moe/aligned.hpp"

namespace tessera::ops::fused_moe {
namespace {

/// Names of codes and scales.
struct Quantised {
    std::string codes;
    std::string scales;
};

Quantised quantised(const std::string& tensor, const std::string& name, const char* shares,
                    Steps& steps) {
    steps.add("quantise_experts", std::vector<std::string>{name, name + "_scales"}, {tensor},
              {{"scale", shares}});
    return {steps.tensor(name), steps.tensor(name + "_scales")};
}

Quantised quantised_tokens(const Dispatched& tokens, Steps& steps) {
    return tokens.scales.empty() ? quantised(tokens.activations, "tokens_fp8", "row", steps)
                                 : Quantised{tokens.activations, tokens.scales};
}

}  // namespace

namespace grouped_fp8 {

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    return {{tokens.tokens * layer.top_k, std::max(layer.gate_up, layer.hidden)},
            {tokens.tokens * layer.top_k, layer.intermediate},
            {tokens.tokens, layer.hidden}};
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const std::string block_size = std::to_string(layer.block_size);
    const auto [sorted, experts, end, rows] = aligned(layer, tokens, steps);
    const Quantised w1 = quantised(layer.w1, "w1_fp8", "matrix", steps);
    const Quantised w2 = quantised(layer.w2, "w2_fp8", "matrix", steps);
    const Quantised a = quantised_tokens(tokens, steps);
    const std::string first =
        steps.add("grouped_mm", "gate_up",
                  {a.codes, w1.codes, sorted, experts, end, tokens.weights, a.scales, w1.scales},
                  {{"block_size", block_size},
                   {"top_k", std::to_string(layer.top_k)},
                   {"apply_weights", "false"}});
    const std::string activated =
        steps.add("moe_activation", "activated", {first, rows},
                  {{"function", layer.activation}, {"counted_by", "presence"}});
    const Quantised between = quantised(activated, "activated_fp8", "row", steps);
    const std::string second = steps.add(
        "grouped_mm", "down",
        {between.codes, w2.codes, sorted, experts, end, tokens.weights, between.scales, w2.scales},
        {{"block_size", block_size},
         {"apply_weights", layer.apply_router_weight_on_input ? "false" : "true"}});
    return {.tensor = steps.add("moe_sum", "reduced", {second, rows}, {{"rows", "presence"}}),
            .rows = {}};
}

}  // namespace grouped_fp8

namespace batched_fp8 {

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    return {{layer.local_experts, tokens.capacity, std::max(layer.gate_up, layer.hidden)},
            {layer.local_experts, tokens.capacity, layer.intermediate},
            {layer.local_experts, tokens.capacity, layer.hidden}};
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const std::string& counts = tokens.expert_num_tokens;
    const Quantised w1 = quantised(layer.w1, "w1_fp8", "matrix", steps);
    const Quantised w2 = quantised(layer.w2, "w2_fp8", "matrix", steps);
    const Quantised a = quantised_tokens(tokens, steps);
    const std::string first =
        steps.add("masked_mm", "gate_up", {a.codes, w1.codes, counts, a.scales, w1.scales});
    const std::string activated =
        steps.add("moe_activation", "activated", {first, counts}, {{"function", layer.activation}});
    const Quantised between = quantised(activated, "activated_fp8", "row", steps);
    return {.tensor = steps.add("masked_mm", "batched_expert_out",
                                {between.codes, w2.codes, counts, between.scales, w2.scales}),
            .rows = tokens.rows};
}

}  // namespace batched_fp8
}  // namespace tessera::ops::fused_moe
