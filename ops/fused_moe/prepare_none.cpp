// SPDX-License-Identifier: Apache-2.0
// No dispatch: every device has all tokens, and takes those of its experts.
#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe::none {

Dispatched prepare(const Layer& layer, Steps& /*steps*/) {
    // The experts' map selects the choices that this device computes.
    return {.activations = layer.a,
            .tokens = layer.tokens,
            .scales = layer.a_scales,
            .ids = layer.topk_ids,
            .weights = layer.topk_weights};
}

std::string finalize(const Layer& /*layer*/, const std::string& partial, Steps& /*steps*/) {
    return partial;
}

}  // namespace tessera::ops::fused_moe::none
