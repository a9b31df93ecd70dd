// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe {

namespace {

// Integers travel as bytes: products take them as bfloat16, which has twice as many.
constexpr std::string_view kIntegerCodes = "int8";
constexpr std::string_view kTravellingCodes = "int8_bytes";

CodedRows quantised_rows(const Layer& layer, Projection projection, const std::string& rows,
                         std::string_view codes, const CountedTensor& counted, Steps& steps) {
    const bool is_first = projection == Projection::GateUp;
    const std::string& scale = is_first ? layer.a1_scale : layer.a2_scale;
    const std::string name = is_first ? "tokens_codes" : "activated_codes";
    std::vector<std::string> outputs{name};
    if (scale.empty()) {
        outputs.push_back(name + "_scales");
    }
    std::vector<std::string> inputs{rows, counted.counts, scale};
    while (inputs.back().empty()) {
        inputs.pop_back();
    }
    steps.add("quantise", std::move(outputs), std::move(inputs),
              {{"codes", std::string(codes)},
               {"block", layer.activations.block},
               {"counted_by", counted.counted_by}});
    return {steps.tensor(name), scale.empty() ? steps.tensor(name + "_scales") : scale};
}

}  // namespace

CodedRows coded_rows(const Layer& layer, Projection projection, const std::string& rows,
                     const CountedTensor& counted, Steps& steps) {
    return layer.activations.codes == nullptr
               ? CodedRows{rows, ""}
               : quantised_rows(layer, projection, rows, layer.activations.codes, counted, steps);
}

CodedRows travelling_rows(const Layer& layer, const std::string& rows, Steps& steps) {
    const std::string_view codes = layer.activations.codes;
    return quantised_rows(layer, Projection::GateUp, rows,
                          codes == kIntegerCodes ? kTravellingCodes : codes, {}, steps);
}

void widen_received(const Layer& layer, Dispatched& tokens, Steps& steps) {
    if (!tokens.scales.empty() && layer.activations.codes == kIntegerCodes) {
        tokens.activations = steps.add("widen_bytes", "widened", {tokens.activations});
    }
}

CodedRows coded_tokens(const Layer& layer, const Dispatched& tokens, const CountedTensor& counted,
                       Steps& steps) {
    // A dispatch that quantised has brought scales; the codes are used as they are.
    return tokens.scales.empty()
               ? coded_rows(layer, Projection::GateUp, tokens.activations, counted, steps)
               : CodedRows{tokens.activations, tokens.scales};
}

std::vector<std::string> product_inputs(const Layer& layer, Projection projection,
                                        std::vector<std::string> leading, const CodedRows& rows) {
    const bool is_first = projection == Projection::GateUp;
    leading.push_back(is_first ? layer.w1_scales : layer.w2_scales);
    leading.push_back(rows.scales);
    leading.push_back(is_first ? layer.w1_zero_points : layer.w2_zero_points);
    leading.push_back(is_first ? layer.w1_bias : layer.w2_bias);
    while (leading.back().empty()) {
        leading.pop_back();
    }
    return leading;
}

Settings product_settings(const Layer& layer, Projection projection, Settings set) {
    if (projection == Projection::GateUp && layer.w1_parts > 1) {
        set.emplace_back("parts", std::to_string(layer.w1_parts));
    }
    return set;
}

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
    layer.activations = scheme.activations;
}

}  // namespace tessera::ops::fused_moe
