// SPDX-License-Identifier: Apache-2.0
// One of the two grouped forms, by shape: as TritonOrDeepGemmExperts.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

namespace grouped {
ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps);
}  // namespace grouped
namespace grouped_permuted {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps);
}  // namespace grouped_permuted

namespace grouped_by_shape {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    return layer.fills_blocks(tokens.tokens) ? grouped_permuted::workspace_shapes(layer, tokens)
                                             : standard_workspaces(layer, tokens);
}

// The permuted form leaves weighing and summing to finalize; here both do it themselves.
ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    // vLLM's TritonOrDeepGemmExperts chooses alike; the condition is known when the run is planned.
    // Rows by their place need a copy each way; they pay for it where an expert fills whole blocks.
    if (layer.fills_blocks(tokens.tokens)) {
        const ExpertOutput output = grouped_permuted::apply(layer, tokens, steps);
        std::vector<std::string> inputs{output.tensor, output.rows};
        if (!layer.apply_router_weight_on_input) {
            inputs.push_back(tokens.weights);
        }
        return {
            .tensor = steps.add("moe_sum", "reduced", std::move(inputs), {{"rows", "presence"}}),
            .rows = {}};
    }
    return grouped::apply(layer, tokens, steps);
}

}  // namespace grouped_by_shape
}  // namespace tessera::ops::fused_moe
