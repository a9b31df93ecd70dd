// SPDX-License-Identifier: Apache-2.0
// e4m3 with a scale for 1×128 of activations and 128×128 of weights: as DeepGemmExperts and
// BatchedDeepGemmExperts. Blocks at the edges are smaller, which DeepGEMM refuses.
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe {
namespace {

constexpr Scheme kFp8Block{"fp8_e4m3", "128x128", "fp8_e4m3", "1x128"};

}  // namespace

namespace grouped_fp8_block {

void load(Layer& layer, Steps& steps) {
    load_coded(kFp8Block, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_grouped(kFp8Block, layer, tokens, steps);
}

}  // namespace grouped_fp8_block

namespace batched_fp8_block {

void load(Layer& layer, Steps& steps) {
    load_coded(kFp8Block, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_batched(kFp8Block, layer, tokens, steps);
}

}  // namespace batched_fp8_block
}  // namespace tessera::ops::fused_moe
