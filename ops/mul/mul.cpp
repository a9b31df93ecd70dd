// SPDX-License-Identifier: Apache-2.0
#include "ops/mul/mul.hpp"

namespace tessera::ops::mul {
namespace {

constexpr std::string_view kCompute = "ops/mul/kernels/compute.cpp";

double product_of(std::span<const double> values) {
    return values[0] * values[1];
}

}  // namespace

const Op& op() {
    static const Op kOp = make_eltwise_op(kSpec, kCompute, product_of);
    return kOp;
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const ActivationSpec& schedule) {
    return make_eltwise_program(
        op(), kCompute, arch,
        {{&inputs.gate_activated, &inputs.up}, inputs.num_routed_tokens, outputs.output}, schedule);
}

HostTensor reference(const HostTensor& gate_activated, const HostTensor& up,
                     std::span<const std::uint32_t> num_routed_tokens) {
    return eltwise_reference({&gate_activated, &up}, num_routed_tokens, product_of);
}

}  // namespace tessera::ops::mul
