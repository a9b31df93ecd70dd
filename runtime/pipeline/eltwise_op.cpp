// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <vector>

#include "emu/base/bf16.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "runtime/pipeline/single_op.hpp"

namespace tessera::run {
namespace {

using ops::eltwise::Domain;

// Least distance from 0 of values that must not be 0.
constexpr float kGap = 0.125F;

float moved_into(Domain domain, float value) {
    switch (domain) {
        case Domain::All:
            return value;
        case Domain::NotZero:
            return value + std::copysign(kGap, value);
        case Domain::Positive:
            return std::fabs(value) + kGap;
    }
    return value;
}

void move_into(Domain domain, HostTensor& tensor) {
    if (tensor.format == DataFormat::Float16_b) {
        for (std::uint16_t& bits : tensor.as<std::uint16_t>()) {
            bits = float_to_bf16(moved_into(domain, bf16_to_float(bits)));
        }
        return;
    }
    for (float& value : tensor.as<float>()) {
        value = moved_into(domain, value);
    }
}

constexpr std::array<const char*, 2> kNames{"a", "b"};

std::vector<DeviceTensor> allocate_inputs(const EltwiseWorkload& workload, EmulatedSession& session,
                                          std::uint32_t device) {
    const TensorSpec spec{workload.shape, workload.input_format, Layout::TILE};
    std::vector<DeviceTensor> inputs;
    for (std::uint32_t i = 0; i < num_inputs(workload.function); ++i) {
        inputs.push_back(session.allocate(device, kNames[i], spec, workload.input_memory));
    }
    return inputs;
}

void draw_inputs(const WorkloadSpec& workload, EmulatedSession& session, std::uint32_t device,
                 const std::vector<DeviceTensor>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool is_last = i + 1 == inputs.size();
        HostTensor values = random_values(inputs[i].spec, {workload.seed, device, kNames[i]});
        move_into(is_last ? ops::eltwise::domain_of(workload.eltwise.function) : Domain::All,
                  values);
        session.write(inputs[i], values);
    }
}

HostTensor reference_of(EltwiseFunction function, const Session& session,
                        const std::vector<DeviceTensor>& inputs) {
    std::vector<HostTensor> values;
    for (const DeviceTensor& input : inputs) {
        values.push_back(session.read(input));
    }
    std::vector<const HostTensor*> pointers;
    for (const HostTensor& value : values) {
        pointers.push_back(&value);
    }
    return ops::eltwise::reference(function, pointers);
}

}  // namespace

SingleOp eltwise_op(const RunSpec& run) {
    const EltwiseWorkload& workload = run.workload.eltwise;
    const TensorSpec output_spec{workload.shape, workload.output_format, Layout::TILE};
    const auto place = [&run, output_spec](EmulatedSession& session, std::uint32_t device,
                                           Maths maths) {
        const EltwiseWorkload& tensors = run.workload.eltwise;
        std::vector<DeviceTensor> inputs = allocate_inputs(tensors, session, device);
        if (maths == Maths::On) {
            draw_inputs(run.workload, session, device, inputs);
        }
        ops::eltwise::Inputs operands;
        for (const DeviceTensor& input : inputs) {
            operands.tensors.push_back(&input);
        }
        DeviceTensor output =
            session.allocate(device, "output", output_spec, tensors.output_memory);
        Program program = ops::eltwise::make_program(session.arch(), tensors.function, operands,
                                                     {output}, run.ops.eltwise);
        return PlacedOp{std::move(program), std::move(output),
                        [&session, inputs = std::move(inputs), function = tensors.function] {
                            return reference_of(function, session, inputs);
                        }};
    };
    return {&ops::eltwise::kSpec, std::string(ops::eltwise::kSchedules[0]), output_spec, place};
}

}  // namespace tessera::run
