// SPDX-License-Identifier: Apache-2.0
// Grouped products of rows that are permuted into the order of their experts before, and brought
// back after: as DeepGEMM's contiguous layout.
#include <algorithm>

#include "ops/fused_moe/aligned.hpp"
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe::grouped_permuted {

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    // Each expert may leave block_size - 1 rows of a block unused.
    const std::uint32_t padded =
        tokens.tokens * layer.top_k + layer.experts * (layer.block_size - 1);
    return {{padded, std::max(layer.gate_up, layer.hidden)},
            {padded, std::max(layer.intermediate, layer.hidden)},
            {tokens.tokens, layer.top_k, layer.hidden}};
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const Settings by_place{{"block_size", std::to_string(layer.block_size)},
                            {"num_choices", std::to_string(tokens.tokens * layer.top_k)},
                            {"input_rows", "place"},
                            {"output_rows", "place"}};
    const auto [sorted, experts, end, rows] = aligned(layer, tokens, steps);
    // An entry of the list is a choice; its token is entry / top_k.
    const Settings by_token{{"divisor", std::to_string(layer.top_k)}};
    Dispatched permuted = tokens;
    permuted.activations = steps.add_in(kWorkspace2, "gather_rows", "permuted",
                                        {tokens.activations, sorted, end}, by_token);
    if (has_row_scales(layer, tokens)) {
        permuted.scales =
            steps.add("gather_rows", "permuted_scales", {tokens.scales, sorted, end}, by_token);
    }
    const CountedTensor counted{end};
    const CodedRows a = coded_tokens(layer, permuted, counted, steps);
    const std::string first = steps.add_in(
        kWorkspace13, "grouped_mm", "gate_up",
        product_inputs(layer, Projection::GateUp, {a.codes, layer.w1, sorted, experts, end, ""}, a),
        product_settings(layer, Projection::GateUp, tokens, by_place));
    const std::string activated = add_activation(layer, {first, end}, "batches", steps);
    const CodedRows between = coded_rows(layer, Projection::Down, activated, counted, steps);
    const std::string second =
        steps.add_in(kWorkspace13, "grouped_mm", "down",
                     product_inputs(layer, Projection::Down,
                                    {between.codes, layer.w2, sorted, experts, end, ""}, between),
                     product_settings(layer, Projection::Down, tokens, by_place));
    return {.tensor = steps.add_in(kOutput, "gather_rows", "unreduced", {second, rows}),
            .rows = rows};
}

}  // namespace tessera::ops::fused_moe::grouped_permuted
