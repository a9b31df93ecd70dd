// SPDX-License-Identifier: Apache-2.0
// What a whole MoE layer should give, from its inputs alone: no result of the run is used.
#pragma once

#include "runtime/pipeline/moe_inputs.hpp"
#include "tessera/tensor.hpp"

namespace tessera::run {

/// (T,H) float32: Σ over a token's experts of weight · down(silu(gate(x)) · up(x)), with nothing
/// rounded to bfloat16 on the way; projections summed in double and kept in float32.
[[nodiscard]] HostTensor layer_reference(const MoeInputs& inputs);

}  // namespace tessera::run
