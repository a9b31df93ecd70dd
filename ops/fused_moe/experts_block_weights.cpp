// SPDX-License-Identifier: Apache-2.0
// Products with weights in a block format, which the device makes of the bfloat16 ones once a
// layer: the 4-bit block format of this machine, bfp4_b, in place of NVFP4 (as CutlassExpertsFP4),
// and bfp8_b. The other steps are those of bfloat16 weights.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {
namespace {

void load_blocks(const char* format, Layer& layer, Steps& steps) {
    // The steps of experts read the names in the layer, so that replacing them is enough.
    const Settings set{{"format", format}};
    layer.w1 = steps.add("to_block_format", "w1_blocks", {layer.w1}, set);
    layer.w2 = steps.add("to_block_format", "w2_blocks", {layer.w2}, set);
}

}  // namespace

namespace bfp4 {

void load(Layer& layer, Steps& steps) {
    load_blocks("bfp4_b", layer, steps);
}

}  // namespace bfp4

namespace bfp8 {

void load(Layer& layer, Steps& steps) {
    load_blocks("bfp8_b", layer, steps);
}

}  // namespace bfp8
}  // namespace tessera::ops::fused_moe
