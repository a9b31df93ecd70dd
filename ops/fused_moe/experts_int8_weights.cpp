// SPDX-License-Identifier: Apache-2.0
// Weights in integers of 8 bits with a scale a row of the matrix, activations in bfloat16: as the
// Triton kernel with int8_w8a16.
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe {
namespace {

constexpr Scheme kInt8Weights{"int8", "row"};

}  // namespace

namespace grouped_int8_weights {

void load(Layer& layer, Steps& steps) {
    load_coded(kInt8Weights, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_grouped(kInt8Weights, layer, tokens, steps);
}

}  // namespace grouped_int8_weights

namespace batched_int8_weights {

void load(Layer& layer, Steps& steps) {
    load_coded(kInt8Weights, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_batched(kInt8Weights, layer, tokens, steps);
}

}  // namespace batched_int8_weights
}  // namespace tessera::ops::fused_moe
