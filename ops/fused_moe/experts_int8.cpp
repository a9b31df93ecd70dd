// SPDX-License-Identifier: Apache-2.0
// Integers of 8 bits, activations with a scale a row, weights with one a row of the matrix: as the
// Triton kernel with int8_w8a8 and per_channel_quant. Sums are fp32, exact up to 1040 products.
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe {
namespace {

constexpr Scheme kInt8{"int8", "row", "int8", "row"};

}  // namespace

namespace grouped_int8 {

void load(Layer& layer, Steps& steps) {
    load_coded(kInt8, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_grouped(kInt8, layer, tokens, steps);
}

}  // namespace grouped_int8

namespace batched_int8 {

void load(Layer& layer, Steps& steps) {
    load_coded(kInt8, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_batched(kInt8, layer, tokens, steps);
}

}  // namespace batched_int8
}  // namespace tessera::ops::fused_moe
