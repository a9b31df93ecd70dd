// SPDX-License-Identifier: Apache-2.0
// Grouped products over moe_align_block_size, rows gathered by the reader of the product and
// scattered by its writer, weighed in the second product and summed: as the Triton kernel.
#include "ops/fused_moe/aligned.hpp"
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe::grouped {

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const std::string block_size = std::to_string(layer.block_size);
    const auto [sorted, experts, end, rows] = aligned(layer, tokens, steps);
    const CodedRows a = coded_tokens(layer, tokens, {tokens.num_tokens}, steps);
    const std::string first = steps.add_in(
        kWorkspace13, "grouped_mm", "gate_up",
        product_inputs(layer, Projection::GateUp, {a.codes, layer.w1, sorted, experts, end, ""}, a),
        product_settings(layer, Projection::GateUp, tokens,
                         {{"block_size", block_size}, {"top_k", std::to_string(layer.top_k)}}));
    const std::string activated = add_activation(layer, {first, rows}, "presence", steps);
    const CodedRows between =
        coded_rows(layer, Projection::Down, activated, {rows, "presence"}, steps);
    const std::string weights = layer.apply_router_weight_on_input ? "" : tokens.weights;
    const std::string second = steps.add_in(
        kWorkspace13, "grouped_mm", "down",
        product_inputs(layer, Projection::Down,
                       {between.codes, layer.w2, sorted, experts, end, weights}, between),
        product_settings(layer, Projection::Down, tokens, {{"block_size", block_size}}));
    return {.tensor =
                steps.add_in(kOutput, "moe_sum", "reduced", {second, rows}, {{"rows", "presence"}}),
            .rows = {}};
}

}  // namespace tessera::ops::fused_moe::grouped
