// SPDX-License-Identifier: Apache-2.0
// Weights in integers of 4 bits with a scale for 128 of a row of the matrix, activations in
// bfloat16: as the Triton kernel with int4_w4a16, symmetrical (no zero points).
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe {
namespace {

constexpr Scheme kInt4Weights{"int4", "1x128"};

}  // namespace

namespace grouped_int4_weights {

void load(Layer& layer, Steps& steps) {
    load_coded(kInt4Weights, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_grouped(kInt4Weights, layer, tokens, steps);
}

}  // namespace grouped_int4_weights

namespace batched_int4_weights {

void load(Layer& layer, Steps& steps) {
    load_coded(kInt4Weights, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_batched(kInt4Weights, layer, tokens, steps);
}

}  // namespace batched_int4_weights
}  // namespace tessera::ops::fused_moe
