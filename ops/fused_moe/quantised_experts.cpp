// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/quantised_experts.hpp"

#include "emu/base/round_up.hpp"

namespace tessera::ops::fused_moe {

namespace {

CodedRows quantised_rows(const Layer& layer, Projection projection, const std::string& rows,
                         std::string_view codes, const CountedTensor& counted, Steps& steps) {
    const bool is_first = projection == Projection::GateUp;
    const std::string& scale = is_first ? layer.a1_scale : layer.a2_scale;
    const std::string name = is_first ? "tokens_codes" : "activated_codes";
    std::vector<std::string> outputs{name};
    // Scales of a byte are made also under a scale of the tensor.
    const bool has_own_scales = scale.empty() || layer.activations.widens_with_scales;
    if (has_own_scales) {
        outputs.push_back(name + "_scales");
    }
    std::vector<std::string> inputs{rows, counted.counts, scale};
    // Missing operands keep an empty place, except at the end of the list.
    while (inputs.back().empty()) {
        inputs.pop_back();
    }
    steps.add("quantise", std::move(outputs), std::move(inputs),
              {{"codes", std::string(codes)},
               {"block", layer.activations.block},
               {"counted_by", counted.counted_by}});
    return {steps.tensor(name), has_own_scales ? steps.tensor(name + "_scales") : scale};
}

/// Turns bytes into numbers; without scales they are codes.
std::string widened(const std::string& name, const std::string& bytes, const std::string& scales,
                    const CountedTensor& counted, Steps& steps) {
    std::vector<std::string> inputs{bytes, counted.counts, scales};
    while (inputs.back().empty()) {
        inputs.pop_back();
    }
    return steps.add("widen_bytes", name, std::move(inputs), {{"counted_by", counted.counted_by}});
}

}  // namespace

CodedRows coded_rows(const Layer& layer, Projection projection, const std::string& rows,
                     const CountedTensor& counted, Steps& steps) {
    if (layer.activations.codes == nullptr) {
        return {rows, ""};
    }
    CodedRows coded =
        quantised_rows(layer, projection, rows, layer.activations.codes, counted, steps);
    if (!layer.activations.widens_with_scales) {
        return coded;
    }
    // The matrix unit has no numbers of 4 bits.
    const bool is_first = projection == Projection::GateUp;
    return {widened(is_first ? "tokens_widened" : "activated_widened", coded.codes, coded.scales,
                    counted, steps),
            is_first ? layer.a1_scale : layer.a2_scale};
}

CodedRows travelling_rows(const Layer& layer, const std::string& rows, Steps& steps) {
    const ActivationScheme& scheme = layer.activations;
    return quantised_rows(layer, Projection::GateUp, rows,
                          scheme.sent == nullptr ? scheme.codes : scheme.sent, {}, steps);
}

bool has_row_scales(const Layer& layer, const Dispatched& tokens) {
    return !tokens.scales.empty() && tokens.scales != layer.a1_scale;
}

void widen_received(const Layer& layer, Dispatched& tokens, Steps& steps) {
    // A dispatch that quantised has brought scales.
    tokens.are_quantised = !tokens.scales.empty();
    const ActivationScheme& scheme = layer.activations;
    if (!tokens.are_quantised || (scheme.sent == nullptr && !scheme.widens_with_scales)) {
        return;
    }
    const CountedTensor counted{tokens.expert_num_tokens.empty() ? tokens.num_tokens
                                                                 : tokens.expert_num_tokens};
    tokens.activations = widened("widened", tokens.activations,
                                 scheme.widens_with_scales ? tokens.scales : "", counted, steps);
    if (scheme.widens_with_scales) {
        tokens.scales = layer.a1_scale;
    }
}

CodedRows coded_tokens(const Layer& layer, const Dispatched& tokens, const CountedTensor& counted,
                       Steps& steps) {
    return tokens.are_quantised
               ? CodedRows{tokens.activations, tokens.scales}
               : coded_rows(layer, Projection::GateUp, tokens.activations, counted, steps);
}

std::vector<std::string> product_inputs(const Layer& layer, Projection projection,
                                        std::vector<std::string> leading, const CodedRows& rows) {
    const bool is_first = projection == Projection::GateUp;
    leading.push_back(is_first ? layer.w1_scales : layer.w2_scales);
    leading.push_back(rows.scales);
    leading.push_back(is_first ? layer.w1_zero_points : layer.w2_zero_points);
    leading.push_back(is_first ? layer.w1_bias : layer.w2_bias);
    leading.push_back(is_first ? layer.w1_factors : layer.w2_factors);
    while (leading.back().empty()) {
        leading.pop_back();
    }
    return leading;
}

Settings product_settings(const Layer& layer, Projection projection, const Dispatched& tokens,
                          Settings set) {
    // Batches have the tokens of all devices; ids may be those of a chunk.
    const std::uint32_t rows = tokens.capacity == 0 ? tokens.tokens : layer.tokens;
    const std::uint64_t choices = std::uint64_t{rows} * layer.top_k;
    set.emplace_back("expected_rows",
                     std::to_string(div_up(choices, std::uint64_t{layer.experts})));
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
