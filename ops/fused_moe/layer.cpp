// SPDX-License-Identifier: Apache-2.0
// Properties of a layer that experts of all kinds need.
#include "ops/fused_moe/layer.hpp"

#include <algorithm>

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

RowActivationSpec row_activation(Activation activation, double alpha, double limit) {
    // The names of the layer's activations and those of the op differ, because the layer's name
    // says where the gate is.
    RowActivationSpec spec{.gate = GatePlace::None, .alpha = alpha, .limit = limit, .grid = {}};
    switch (activation) {
        case Activation::Silu:
            spec.gate = GatePlace::First;
            break;
        case Activation::Gelu:
            spec.function = ActivationFunction::Gelu;
            spec.gate = GatePlace::First;
            break;
        case Activation::SwigluOai:
            spec.function = ActivationFunction::SwigluOai;
            spec.gate = GatePlace::Interleaved;
            break;
        case Activation::SiluNoMul:
            break;
        case Activation::GeluNoMul:
            spec.function = ActivationFunction::Gelu;
            break;
        case Activation::Relu2NoMul:
            spec.function = ActivationFunction::Relu2;
            break;
    }
    return spec;
}

Settings activation_settings(const Layer& layer) {
    const RowActivationSpec spec = row_activation(layer.activation, layer.alpha, layer.limit);
    Settings set{{"function", config::Value<ActivationFunction>::show(spec.function)},
                 {"gate", config::Value<GatePlace>::show(spec.gate)}};
    // alpha and limit are given only where they are read; the op rejects them elsewhere.
    if (spec.function == ActivationFunction::SwigluOai) {
        set.emplace_back("alpha", config::Value<double>::show(spec.alpha));
        set.emplace_back("limit", config::Value<double>::show(spec.limit));
    }
    return set;
}

std::string add_activation(const Layer& layer, std::vector<std::string> inputs,
                           const char* counted_by, Steps& steps) {
    Settings set = activation_settings(layer);
    set.emplace_back("counted_by", counted_by);
    return steps.add_in(kWorkspace2, "activation", "activated", std::move(inputs), std::move(set));
}

WorkspaceShapes standard_workspaces(const Layer& layer, const Dispatched& tokens) {
    // Like vLLM's workspace13 and workspace2: the larger of both products shares one buffer.
    const std::uint32_t choices = tokens.tokens * layer.top_k;
    return {{choices, std::max(layer.gate_up, layer.hidden)},
            {choices, layer.intermediate},
            {tokens.tokens, layer.hidden}};
}

WorkspaceShapes batched_workspaces(const Layer& layer, const Dispatched& tokens) {
    // Batches have room for every expert, whether it has tokens or not.
    return {{layer.local_experts, tokens.capacity, layer.gate_up},
            {layer.local_experts, tokens.capacity, layer.intermediate},
            {layer.local_experts, tokens.capacity, layer.hidden}};
}

}  // namespace tessera::ops::fused_moe
