// SPDX-License-Identifier: Apache-2.0
// silu, mul and silu_mul behind one interface, for tests of all three.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ops/expert_eltwise/expert_eltwise.hpp"
#include "tests/ops/op_reference.hpp"
#include "tests/ops/routed_tokens.hpp"

namespace tessera::ops {

/// Inputs of all three ops; silu uses the first tensor only.
struct ActivationInputs {
    HostTensor gate;
    HostTensor up;
    std::vector<std::uint32_t> counts;
};

struct Silu {
    static const Op& op() { return expert_eltwise::silu(); }
};

struct Mul {
    static const Op& op() { return expert_eltwise::mul(); }
};

struct SiluMul {
    static const Op& op() { return expert_eltwise::silu_mul(); }
};

/// Returns the first inputs that the op takes, and the counts.
template <class Op, class Tensor>
std::vector<Tensor> inputs_of(const Tensor& gate, const Tensor& up, const Tensor& counts) {
    return Op::op().spec.inputs.size() == 2 ? std::vector{gate, counts}
                                            : std::vector{gate, up, counts};
}

template <class Op>
HostTensor reference(const ActivationInputs& in) {
    return testing::reference_of(Op::op(), nullptr,
                                 inputs_of<Op>(in.gate, in.up, testing::counts_tensor(in.counts)));
}

struct ActivationResult {
    HostTensor output;
    LaunchResult launch;
};

template <class Op>
ActivationResult run_split_as_told(testing::OneDevice& device, const ActivationInputs& inputs,
                                   const ActivationSpec& schedule) {
    const DeviceTensor gate = device.put("gate", inputs.gate, Layout::TILE);
    const DeviceTensor up = device.put("up", inputs.up, Layout::TILE);
    const DeviceTensor counts = testing::put_counts(device, inputs.counts);
    const DeviceTensor output = device.make("output", gate.spec);
    LaunchResult launch = device.run(
        "activation", call_program(Op::op(), device.arch(), &schedule,
                                   inputs_of<Op>(gate, up, counts), {output}, inputs.counts));
    return {device.get(output), std::move(launch)};
}

/// Runs the op twice on a device whose memory was filled with 0xFF, once per work split. Expects
/// the same bytes from the same cores.
template <class Op>
ActivationResult run_activation(testing::OneDevice& device, const ActivationInputs& inputs,
                                const ActivationSpec& schedule) {
    ActivationSpec by_host = schedule;
    by_host.split_by = SplitBy::Host;
    const ActivationResult other = run_split_as_told<Op>(device, inputs, by_host);
    ActivationResult result = run_split_as_told<Op>(device, inputs, schedule);
    EXPECT_EQ(result.output.bytes, other.output.bytes);
    EXPECT_EQ(testing::work_of_cores(result.launch), testing::work_of_cores(other.launch));
    return result;
}

}  // namespace tessera::ops
