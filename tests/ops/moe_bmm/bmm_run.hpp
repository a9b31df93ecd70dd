// SPDX-License-Identifier: Apache-2.0
// One moe_bmm launch on an emulated device whose memory was filled with 0xFF.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ops/moe_bmm/moe_bmm.hpp"
#include "tests/ops/op_reference.hpp"
#include "tests/ops/routed_tokens.hpp"

namespace tessera::ops::moe_bmm {

struct BmmInputs {
    HostTensor input;
    HostTensor weights;
    std::vector<std::uint32_t> counts;
};

struct BmmResult {
    HostTensor output;
    LaunchResult launch;
};

inline HostTensor reference(const BmmInputs& inputs) {
    return testing::reference_of(
        op(), nullptr, {inputs.input, inputs.weights, testing::counts_tensor(inputs.counts)});
}

inline BmmResult run_split_as_told(testing::OneDevice& device, const BmmInputs& inputs,
                                   const MoeBmmSpec& schedule) {
    const DeviceTensor input = device.put("input", inputs.input, Layout::TILE);
    const DeviceTensor weights = device.put("weights", inputs.weights, Layout::TILE);
    const DeviceTensor counts = testing::put_counts(device, inputs.counts);
    const DeviceTensor output = device.make(
        "output", TensorSpec{{input.spec.shape[0], input.spec.shape[1], weights.spec.shape[2]},
                             DataFormat::Float16_b,
                             Layout::TILE});
    Program program = call_program(op(), device.arch(), &schedule, {input, weights, counts},
                                   {output}, inputs.counts);
    LaunchResult launch = device.run("moe_bmm", std::move(program));
    return {device.get(output), std::move(launch)};
}

/// Runs moe_bmm twice, once per work split, and expects the same bytes from the same cores. Runs it
/// once with k_split, multicasts and cores next to their bank, which the host does not split.
inline BmmResult run_bmm(testing::OneDevice& device, const BmmInputs& inputs,
                         const MoeBmmSpec& schedule) {
    if (schedule.k_split > 1 || schedule.schedule == BmmSchedule::MulticastRows ||
        schedule.schedule == BmmSchedule::NearBanks || schedule.schedule == BmmSchedule::Auto) {
        return run_split_as_told(device, inputs, schedule);
    }
    MoeBmmSpec by_host = schedule;
    by_host.split_by = SplitBy::Host;
    const BmmResult other = run_split_as_told(device, inputs, by_host);
    BmmResult result = run_split_as_told(device, inputs, schedule);
    EXPECT_EQ(result.output.bytes, other.output.bytes);
    EXPECT_EQ(testing::work_of_cores(result.launch), testing::work_of_cores(other.launch));
    return result;
}

}  // namespace tessera::ops::moe_bmm
