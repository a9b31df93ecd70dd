// SPDX-License-Identifier: Apache-2.0
#include "ops/mul/mul.hpp"

#include "ops/valid_tiles/eltwise.hpp"

namespace tessera::ops::mul {

TensorSpec output_spec(const TensorSpec& gate_activated) {
    return eltwise_output_spec("mul", "gate_activated", gate_activated);
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const ActivationSpec& schedule) {
    const EltwiseOp op{
        .name = "mul",
        .inputs = {{"gate_activated", inputs.gate_activated}, {"up", inputs.up}},
        .num_routed_tokens = inputs.num_routed_tokens,
        .output = outputs.output,
        .compute_kernel = "ops/mul/kernels/compute.cpp",
    };
    return make_eltwise_program(arch, op, schedule);
}

}  // namespace tessera::ops::mul
