// SPDX-License-Identifier: Apache-2.0
// e4m3 with a scale for each row of activations and each expert's weights: as CutlassExpertsFP8
// with activations per token.
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe {
namespace {

constexpr Scheme kFp8Token{"fp8_e4m3", "matrix", "fp8_e4m3", "row"};

}  // namespace

namespace grouped_fp8 {

void load(Layer& layer, Steps& steps) {
    load_coded(kFp8Token, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_grouped(kFp8Token, layer, tokens, steps);
}

}  // namespace grouped_fp8

namespace batched_fp8 {

void load(Layer& layer, Steps& steps) {
    load_coded(kFp8Token, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_batched(kFp8Token, layer, tokens, steps);
}

}  // namespace batched_fp8
}  // namespace tessera::ops::fused_moe
