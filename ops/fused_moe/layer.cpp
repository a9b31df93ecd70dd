// SPDX-License-Identifier: Apache-2.0
// What experts of all kinds need of a layer.
#include "ops/fused_moe/layer.hpp"

#include <algorithm>

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

RowActivationSpec row_activation(Activation activation) {
    RowActivationSpec spec{.gate = GatePlace::None, .grid = {}};
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

std::string add_activation(const Layer& layer, std::vector<std::string> inputs,
                           const char* counted_by, Steps& steps) {
    const RowActivationSpec spec = row_activation(layer.activation);
    return steps.add_in(kWorkspace2, "activation", "activated", std::move(inputs),
                        {{"function", config::Value<ActivationFunction>::show(spec.function)},
                         {"gate", config::Value<GatePlace>::show(spec.gate)},
                         {"counted_by", counted_by}});
}

WorkspaceShapes standard_workspaces(const Layer& layer, const Dispatched& tokens) {
    const std::uint32_t choices = tokens.tokens * layer.top_k;
    return {{choices, std::max(layer.gate_up, layer.hidden)},
            {choices, layer.intermediate},
            {tokens.tokens, layer.hidden}};
}

WorkspaceShapes batched_workspaces(const Layer& layer, const Dispatched& tokens) {
    return {{layer.local_experts, tokens.capacity, layer.gate_up},
            {layer.local_experts, tokens.capacity, layer.intermediate},
            {layer.local_experts, tokens.capacity, layer.hidden}};
}

}  // namespace tessera::ops::fused_moe
