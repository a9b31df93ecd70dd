// SPDX-License-Identifier: Apache-2.0
// Runs an op of the registry on one device whose memory is filled with NaN. Inputs precede outputs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ops/op.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/held_values.hpp"

namespace tessera::testing {

/// An input in the op's form; an input without a shape is left out.
struct OpInput {
    HostTensor values;  ///< without a shape: an optional operand that the call leaves out
    Layout layout = Layout::ROW_MAJOR;
};

/// Outputs of an op, the results of its reference, and what the cores did.
struct OpRun {
    std::vector<HostTensor> outputs;
    std::vector<HostTensor> references;
    LaunchResult launch;
};

template <class Spec>
OpRun run_op(const ops::Op& op, const Spec& spec, const std::vector<OpInput>& inputs,
             const ArchSpec& arch, const SessionOptions& options = {.threads = 1}) {
    OneDevice device(arch, options);
    const MeshSpec mesh{.shape = {1, 1}, .topology = Topology::Line, .device = arch.name};
    const std::array<std::uint32_t, 1> devices{0};
    std::vector<std::vector<DeviceTensor>> on_device;
    std::vector<ops::TensorPlan> plans;
    std::vector<std::vector<HostTensor>> held;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].values.shape.empty()) {
            on_device.emplace_back();
            plans.emplace_back();
            held.emplace_back();
            continue;
        }
        on_device.push_back(
            {device.put("in" + std::to_string(i), inputs[i].values, inputs[i].layout)});
        plans.push_back(ops::plan_of(on_device.back().front()));
        held.push_back({inputs[i].values});
    }
    ops::OpContext context{.arch = arch,
                           .mesh = mesh,
                           .devices = devices,
                           .parameters = &spec,
                           .inputs = plans,
                           .device_inputs = on_device};
    const std::vector<ops::TensorPlan> inferred = op.infer(context);
    std::vector<std::vector<DeviceTensor>> made;
    std::vector<TensorSpec> specs;
    for (std::size_t i = 0; i < inferred.size(); ++i) {
        made.push_back({device.make("out" + std::to_string(i), inferred[i].spec)});
        specs.push_back(inferred[i].spec);
    }
    context.outputs = inferred;
    context.device_outputs = made;
    OpRun run;
    run.launch = device.run(std::string(op.spec.name), op.programs(context).front().program);
    for (const auto& output : made) {
        run.outputs.push_back(device.get(output.front()));
    }
    run.references = op.reference(HeldStep(&spec, held, specs).at());
    return run;
}

}  // namespace tessera::testing
