// SPDX-License-Identifier: Apache-2.0
// One run of local_reduce_moe_output on a device.
#pragma once

#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/op_reference.hpp"

namespace tessera::ops::local_reduce_moe_output {

struct HostInputs {
    HostTensor expert_outputs;
    HostTensor token_idx_map;
    HostTensor weights;
    HostTensor num_routed_tokens;
};

inline HostTensor run(testing::OneDevice& device, const HostInputs& host,
                      const LocalReduceSpec& schedule) {
    const auto rows = device.put("expert_outputs", host.expert_outputs);
    const auto map = device.put("token_idx_map", host.token_idx_map);
    const auto weights = device.put("routed_token_weights", host.weights);
    const auto counts = device.put("num_routed_tokens", host.num_routed_tokens);
    const Shape& shape = host.expert_outputs.shape;
    const auto local = device.make(
        "local", TensorSpec{{shape[1], shape[2]}, DataFormat::Float16_b, Layout::ROW_MAJOR});
    device.run("local_reduce_moe_output",
               call_program(op(), device.arch(), &schedule, {rows, map, weights, counts}, {local}));
    return device.get(local);
}

inline HostTensor reference(const HostInputs& host, ReduceAccumulator accumulator) {
    const LocalReduceSpec schedule{.accumulator = accumulator};
    return testing::reference_of(
        op(), &schedule,
        {host.expert_outputs, host.token_idx_map, host.weights, host.num_routed_tokens});
}

inline const char* name_of(ReduceAccumulator accumulator) {
    return kSchedules.at(static_cast<std::size_t>(accumulator)).data();
}

}  // namespace tessera::ops::local_reduce_moe_output
