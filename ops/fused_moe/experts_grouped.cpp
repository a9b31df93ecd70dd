// SPDX-License-Identifier: Apache-2.0
// Grouped products over moe_align_block_size, rows gathered by the reader of the product and
// scattered by its writer, weighed in the second product and summed: as the Triton kernel.
#include "ops/fused_moe/aligned.hpp"

namespace tessera::ops::fused_moe::grouped {

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const std::string block_size = std::to_string(layer.block_size);
    const auto [sorted, experts, end, rows] = aligned(layer, tokens, steps);
    const std::string first = steps.add_in(
        kWorkspace13, "grouped_mm", "gate_up", {tokens.activations, layer.w1, sorted, experts, end},
        {{"block_size", block_size}, {"top_k", std::to_string(layer.top_k)}});
    const std::string activated = add_activation(layer, {first, rows}, "presence", steps);
    // Weights are applied by the second product, unless the tokens were weighed.
    std::vector<std::string> inputs{activated, layer.w2, sorted, experts, end};
    if (!layer.apply_router_weight_on_input) {
        inputs.push_back(tokens.weights);
    }
    const std::string second = steps.add_in(kWorkspace13, "grouped_mm", "down", std::move(inputs),
                                            {{"block_size", block_size}});
    // Rows have places by choice: presence says whether an expert of this device wrote one.
    return {.tensor =
                steps.add_in(kOutput, "moe_sum", "reduced", {second, rows}, {{"rows", "presence"}}),
            .rows = {}};
}

}  // namespace tessera::ops::fused_moe::grouped
