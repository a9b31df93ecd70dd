// SPDX-License-Identifier: Apache-2.0
// The batched products of the V2 layer, whose operands are tiles: rows are laid out as tiles and
// back around them, and weights transposed to (K, N).
#include <algorithm>

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe::batched_bmm {
namespace {

std::string times_weights(const std::string& rows, const std::string& weights,
                          const std::string& name, const Dispatched& tokens, Steps& steps) {
    const std::string tiles = steps.add("to_layout", name + "_in_tiles", {rows});
    const std::string turned = steps.add("transpose", name + "_weights", {weights});
    const std::string product =
        steps.add("moe_bmm", name + "_tiles", {tiles, turned, tokens.num_routed_tokens});
    return steps.add("to_layout", name, {product});
}

}  // namespace

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    return {{layer.local_experts, tokens.capacity, std::max(layer.gate_up, layer.hidden)},
            {layer.local_experts, tokens.capacity, layer.intermediate},
            {layer.local_experts, tokens.capacity, layer.hidden}};
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const std::string first = times_weights(tokens.activations, layer.w1, "gate_up", tokens, steps);
    const std::string activated =
        steps.add("moe_activation", "activated", {first, tokens.expert_num_tokens},
                  {{"function", layer.activation}});
    return {.tensor = times_weights(activated, layer.w2, "batched_expert_out", tokens, steps),
            .rows = tokens.rows};
}

}  // namespace tessera::ops::fused_moe::batched_bmm
