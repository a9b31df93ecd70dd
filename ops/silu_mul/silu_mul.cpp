// SPDX-License-Identifier: Apache-2.0
#include "ops/silu_mul/silu_mul.hpp"

#include "ops/valid_tiles/eltwise.hpp"

namespace tessera::ops::silu_mul {

TensorSpec output_spec(const TensorSpec& gate) {
    return eltwise_output_spec("silu_mul", "gate", gate);
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const ActivationSpec& schedule) {
    const EltwiseOp op{
        .name = "silu_mul",
        .inputs = {{"gate", inputs.gate}, {"up", inputs.up}},
        .num_routed_tokens = inputs.num_routed_tokens,
        .output = outputs.output,
        .compute_kernel = "ops/silu_mul/kernels/compute.cpp",
    };
    return make_eltwise_program(arch, op, schedule);
}

}  // namespace tessera::ops::silu_mul
