// SPDX-License-Identifier: Apache-2.0
// The batched products of the V2 layer, whose operands are tiles: rows are laid out as tiles and
// back around them, and weights transposed to (K, N).
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe::batched_bmm {
namespace {

std::string times_weights(const std::string& rows, const std::string& weights,
                          const std::string& name, const char* place, const Dispatched& tokens,
                          Steps& steps) {
    // moe_bmm multiplies tiles, the layer has rows: both conversions are steps with costs of their
    // own.
    const std::string tiles = steps.add("to_layout", name + "_in_tiles", {rows});
    // Checkpoints have (N, K), moe_bmm takes (K, N).
    const std::string turned = steps.add("transpose", name + "_weights", {weights});
    const std::string product =
        steps.add("moe_bmm", name + "_tiles", {tiles, turned, tokens.num_routed_tokens});
    return steps.add_in(place, "to_layout", name, {product});
}

}  // namespace

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    const std::string first =
        times_weights(tokens.activations, layer.w1, "gate_up", kWorkspace13, tokens, steps);
    const std::string activated =
        add_activation(layer, {first, tokens.expert_num_tokens}, "batches", steps);
    return {
        .tensor = times_weights(activated, layer.w2, "batched_expert_out", kOutput, tokens, steps),
        .rows = tokens.rows};
}

}  // namespace tessera::ops::fused_moe::batched_bmm
