// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/quantised_experts.hpp"

#include "ops/fused_moe/aligned.hpp"

namespace tessera::ops::fused_moe {
namespace {

/// Names of codes and scales; without scales the codes are numbers.
struct Coded {
    std::string codes;
    std::string scales;
};

/// Which rows of a tensor count; without a tensor all of them.
struct CountedTensor {
    std::string counts;
    const char* counted_by = "batches";
};

Coded quantised(const Scheme& scheme, const std::string& tensor, const std::string& name,
                const CountedTensor& rows, Steps& steps) {
    // Weight-only schemes multiply bfloat16 rows.
    if (scheme.activation_codes == nullptr) {
        return {tensor, ""};
    }
    std::vector<std::string> inputs{tensor};
    if (!rows.counts.empty()) {
        inputs.push_back(rows.counts);
    }
    steps.add("quantise", std::vector<std::string>{name, name + "_scales"}, std::move(inputs),
              {{"codes", scheme.activation_codes},
               {"block", scheme.activation_block},
               {"counted_by", rows.counted_by}});
    return {steps.tensor(name), steps.tensor(name + "_scales")};
}

Coded quantised_tokens(const Scheme& scheme, const Dispatched& tokens, const CountedTensor& rows,
                       Steps& steps) {
    // A dispatch that quantised has brought scales; the codes are used as they are.
    return tokens.scales.empty()
               ? quantised(scheme, tokens.activations, "tokens_codes", rows, steps)
               : Coded{tokens.activations, tokens.scales};
}

/// Appends the scales to the other inputs of a product. Scales of weights and rows follow in this
/// order in both products.
std::vector<std::string> with_scales(std::vector<std::string> inputs, const std::string& weights,
                                     const Coded& rows) {
    inputs.push_back(weights);
    if (!rows.scales.empty()) {
        inputs.push_back(rows.scales);
    }
    return inputs;
}

}  // namespace

// Weights are coded once a layer, not once a chunk.
void load_coded(const Scheme& scheme, Layer& layer, Steps& steps) {
    const auto load = [&](std::string& weights, std::string& scales, const std::string& name) {
        steps.add("quantise", std::vector<std::string>{name + "_codes", name + "_scales"},
                  {weights}, {{"codes", scheme.weight_codes}, {"block", scheme.weight_block}});
        weights = steps.tensor(name + "_codes");
        scales = steps.tensor(name + "_scales");
    };
    load(layer.w1, layer.w1_scales, "w1");
    load(layer.w2, layer.w2_scales, "w2");
}

ExpertOutput apply_grouped(const Scheme& scheme, const Layer& layer, const Dispatched& tokens,
                           Steps& steps) {
    const std::string block_size = std::to_string(layer.block_size);
    const auto [sorted, experts, end, rows] = aligned(layer, tokens, steps);
    const Coded a = quantised_tokens(scheme, tokens, {tokens.num_tokens}, steps);
    // topk_weights are an operand in any case, because scales come after them; the first product
    // does not apply them.
    const std::string first = steps.add_in(
        kWorkspace13, "grouped_mm", "gate_up",
        with_scales({a.codes, layer.w1, sorted, experts, end, tokens.weights}, layer.w1_scales, a),
        {{"block_size", block_size},
         {"top_k", std::to_string(layer.top_k)},
         {"apply_weights", "false"}});
    const std::string activated = add_activation(layer, {first, rows}, "presence", steps);
    // Quantised again between the products, as the published kernels do.
    const Coded between =
        quantised(scheme, activated, "activated_codes", {rows, "presence"}, steps);
    const std::string second =
        steps.add_in(kWorkspace13, "grouped_mm", "down",
                     with_scales({between.codes, layer.w2, sorted, experts, end, tokens.weights},
                                 layer.w2_scales, between),
                     {{"block_size", block_size},
                      {"apply_weights", layer.apply_router_weight_on_input ? "false" : "true"}});
    return {.tensor =
                steps.add_in(kOutput, "moe_sum", "reduced", {second, rows}, {{"rows", "presence"}}),
            .rows = {}};
}

ExpertOutput apply_batched(const Scheme& scheme, const Layer& layer, const Dispatched& tokens,
                           Steps& steps) {
    const std::string& counts = tokens.expert_num_tokens;
    const Coded a = quantised_tokens(scheme, tokens, {counts}, steps);
    const std::string first =
        steps.add_in(kWorkspace13, "masked_mm", "gate_up",
                     with_scales({a.codes, layer.w1, counts}, layer.w1_scales, a));
    const std::string activated = add_activation(layer, {first, counts}, "batches", steps);
    const Coded between = quantised(scheme, activated, "activated_codes", {counts}, steps);
    return {.tensor = steps.add_in(
                kOutput, "masked_mm", "batched_expert_out",
                with_scales({between.codes, layer.w2, counts}, layer.w2_scales, between)),
            .rows = tokens.rows};
}

}  // namespace tessera::ops::fused_moe
