// SPDX-License-Identifier: Apache-2.0
// Grouped products with weights in a block format, which the device makes of the bfloat16 ones: the
// 4-bit block format of this machine, bfp4_b, in place of NVFP4 (as CutlassExpertsFP4), and bfp8_b.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

namespace grouped {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps);
}  // namespace grouped
namespace batched_masked {
WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens);
ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps);
}  // namespace batched_masked

namespace {

/// The layer with its weights in `format`. In chunks, each makes them anew: weights that are kept
/// so from load on are a tensor of the run file.
Layer with_weights(Layer layer, const char* format, Steps& steps) {
    const Settings set{{"format", format}};
    layer.w1 = steps.add("to_block_format", "w1_blocks", {layer.w1}, set);
    layer.w2 = steps.add("to_block_format", "w2_blocks", {layer.w2}, set);
    return layer;
}

}  // namespace

namespace grouped_bfp4 {

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    return grouped::workspace_shapes(layer, tokens);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return grouped::apply(with_weights(layer, "bfp4_b", steps), tokens, steps);
}

}  // namespace grouped_bfp4

namespace grouped_bfp8 {

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    return grouped::workspace_shapes(layer, tokens);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return grouped::apply(with_weights(layer, "bfp8_b", steps), tokens, steps);
}

}  // namespace grouped_bfp8

namespace batched_bfp4 {

WorkspaceShapes workspace_shapes(const Layer& layer, const Dispatched& tokens) {
    return batched_masked::workspace_shapes(layer, tokens);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return batched_masked::apply(with_weights(layer, "bfp4_b", steps), tokens, steps);
}

}  // namespace batched_bfp4
}  // namespace tessera::ops::fused_moe
