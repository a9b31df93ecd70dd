// SPDX-License-Identifier: Apache-2.0
// e4m3 with one scale for all activations that a device has and one for each expert's weights: as
// CutlassExpertsFP8 with activations per tensor.
#include "ops/fused_moe/quantised_experts.hpp"

namespace tessera::ops::fused_moe {
namespace {

constexpr Scheme kFp8Tensor{"fp8_e4m3", "matrix", "fp8_e4m3", "tensor"};

}  // namespace

namespace grouped_fp8_tensor {

void load(Layer& layer, Steps& steps) {
    load_coded(kFp8Tensor, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_grouped(kFp8Tensor, layer, tokens, steps);
}

}  // namespace grouped_fp8_tensor

namespace batched_fp8_tensor {

void load(Layer& layer, Steps& steps) {
    load_coded(kFp8Tensor, layer, steps);
}

ExpertOutput apply(const Layer& layer, const Dispatched& tokens, Steps& steps) {
    return apply_batched(kFp8Tensor, layer, tokens, steps);
}

}  // namespace batched_fp8_tensor
}  // namespace tessera::ops::fused_moe
