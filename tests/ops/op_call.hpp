// SPDX-License-Identifier: Apache-2.0
// Calls an op of the registry on one device. Uploads inputs to where the op wants them and allocates
// the outputs that it infers, in memory filled with 0xFF.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/op.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera::testing {

struct CallInput {
    HostTensor values;
    Layout layout = Layout::ROW_MAJOR;
};

/// Returns the first `num_outputs` outputs; 0 means all that the op infers.
inline std::vector<HostTensor> call_op(OneDevice& device, const ops::Op& op,
                                       ops::ParameterRef parameters,
                                       const std::vector<CallInput>& inputs,
                                       std::size_t num_outputs = 0) {
    std::vector<std::vector<DeviceTensor>> in;
    std::vector<std::vector<DeviceTensor>> out;
    std::vector<ops::TensorPlan> input_plans;
    for (const CallInput& input : inputs) {
        // An optional operand that is left out.
        if (input.values.shape.empty()) {
            in.emplace_back();
            input_plans.emplace_back();
            continue;
        }
        in.emplace_back();
        input_plans.push_back({{input.values.shape, input.values.format, input.layout}});
    }
    const MeshSpec mesh;
    constexpr std::uint32_t kDevice = 0;
    ops::OpContext context{.arch = device.arch(),
                           .mesh = mesh,
                           .devices = {&kDevice, 1},
                           .parameters = parameters,
                           .inputs = input_plans};
    if (op.place_inputs) {
        input_plans = op.place_inputs(context);
        context.inputs = input_plans;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].values.shape.empty()) {
            in[i].push_back(device.make("in" + std::to_string(i), input_plans[i]));
            device.write(in[i].front(), inputs[i].values);
        }
    }
    std::vector<ops::TensorPlan> output_plans = op.infer(context);
    output_plans.resize(num_outputs == 0 ? output_plans.size() : num_outputs);
    for (const ops::TensorPlan& plan : output_plans) {
        out.push_back({device.make("out" + std::to_string(out.size()), plan.spec)});
    }
    context.outputs = output_plans;
    context.device_inputs = in;
    context.device_outputs = out;
    device.run(std::string(op.spec.name), op.programs(context).front().program);
    std::vector<HostTensor> results;
    for (const auto& tensors : out) {
        results.push_back(device.get(tensors.front()));
    }
    return results;
}

}  // namespace tessera::testing
