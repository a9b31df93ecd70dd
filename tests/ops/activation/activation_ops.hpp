// SPDX-License-Identifier: Apache-2.0
// silu, mul and silu_mul behind one shape, for tests that hold for all three.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ops/mul/mul.hpp"
#include "ops/silu/silu.hpp"
#include "ops/silu_mul/silu_mul.hpp"
#include "tests/ops/routed_tokens.hpp"

namespace tessera::ops {

/// Inputs of all three; silu takes the first tensor only.
struct ActivationInputs {
    HostTensor gate;
    HostTensor up;
    std::vector<std::uint32_t> counts;
};

struct DeviceInputs {
    const DeviceTensor& gate;
    const DeviceTensor& up;
    RoutedTokens counts;
};

struct Silu {
    static constexpr const OpSpec& kSpec = silu::kSpec;
    static Program program(const ArchSpec& arch, const DeviceInputs& in, const DeviceTensor& out,
                           const ActivationSpec& schedule) {
        return silu::make_program(arch, {in.gate, in.counts}, {out}, schedule);
    }
    static HostTensor reference(const ActivationInputs& in) {
        return silu::reference(in.gate, in.counts);
    }
};

struct Mul {
    static constexpr const OpSpec& kSpec = mul::kSpec;
    static Program program(const ArchSpec& arch, const DeviceInputs& in, const DeviceTensor& out,
                           const ActivationSpec& schedule) {
        return mul::make_program(arch, {in.gate, in.up, in.counts}, {out}, schedule);
    }
    static HostTensor reference(const ActivationInputs& in) {
        return mul::reference(in.gate, in.up, in.counts);
    }
};

struct SiluMul {
    static constexpr const OpSpec& kSpec = silu_mul::kSpec;
    static Program program(const ArchSpec& arch, const DeviceInputs& in, const DeviceTensor& out,
                           const ActivationSpec& schedule) {
        return silu_mul::make_program(arch, {in.gate, in.up, in.counts}, {out}, schedule);
    }
    static HostTensor reference(const ActivationInputs& in) {
        return silu_mul::reference(in.gate, in.up, in.counts);
    }
};

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
        "activation",
        Op::program(device.arch(), {gate, up, {counts, inputs.counts}}, output, schedule));
    return {device.get(output), std::move(launch)};
}

/// Runs it twice on a device whose memory was filled with 0xFF before, with either way of splitting
/// the work: to the same bytes, by the same cores.
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
