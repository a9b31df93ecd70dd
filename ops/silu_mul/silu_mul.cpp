// SPDX-License-Identifier: Apache-2.0
#include "ops/silu_mul/silu_mul.hpp"

#include <cmath>

namespace tessera::ops::silu_mul {
namespace {

constexpr std::string_view kCompute = "ops/silu_mul/kernels/compute.cpp";

double silu_mul_of(std::span<const double> values) {
    return values[0] / (1.0 + std::exp(-values[0])) * values[1];
}

}  // namespace

const Op& op() {
    static const Op kOp = make_eltwise_op(kSpec, kCompute, silu_mul_of);
    return kOp;
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const ActivationSpec& schedule) {
    return make_eltwise_program(
        op(), kCompute, arch,
        {{&inputs.gate, &inputs.up}, inputs.num_routed_tokens, outputs.output}, schedule);
}

HostTensor reference(const HostTensor& gate, const HostTensor& up,
                     std::span<const std::uint32_t> num_routed_tokens) {
    return eltwise_reference({&gate, &up}, num_routed_tokens, silu_mul_of);
}

}  // namespace tessera::ops::silu_mul
