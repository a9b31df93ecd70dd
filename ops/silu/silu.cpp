// SPDX-License-Identifier: Apache-2.0
#include "ops/silu/silu.hpp"

#include "ops/valid_tiles/eltwise.hpp"

namespace tessera::ops::silu {

TensorSpec output_spec(const TensorSpec& gate) {
    return eltwise_output_spec("silu", "gate", gate);
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const ActivationSpec& schedule) {
    const EltwiseOp op{
        .name = "silu",
        .inputs = {{"gate", inputs.gate}},
        .num_routed_tokens = inputs.num_routed_tokens,
        .output = outputs.output,
        .compute_kernel = "ops/silu/kernels/compute.cpp",
    };
    return make_eltwise_program(arch, op, schedule);
}

}  // namespace tessera::ops::silu
