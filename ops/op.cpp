// SPDX-License-Identifier: Apache-2.0
#include "ops/op.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/contract.hpp"

namespace tessera::ops {
namespace {

/// Collects the findings of rules and throws all of them together.
class CallJudge final : public RuleJudge {
public:
    explicit CallJudge(std::string_view op) : op_(op) {}
    void require(bool holds, std::string_view blamed, const std::string& text) override {
        if (!holds) {
            // All broken rules in one message, a line each.
            found_ += fmt::format("{}{}: {} {}", found_.empty() ? "" : "\n", op_, blamed, text);
        }
    }
    void throw_if_any() const { tessera::require(found_.empty(), "{}", found_); }

private:
    std::string_view op_;
    std::string found_;
};

std::vector<std::uint32_t> all_devices(const MeshSpec& mesh) {
    std::vector<std::uint32_t> devices(mesh.shape.num_devices());
    // Devices are numbered from 0 in the order of the mesh.
    std::iota(devices.begin(), devices.end(), 0U);
    return devices;
}

/// Checks that an operand has one tensor on each device, in the order of the devices.
void judge_devices(const std::vector<std::vector<DeviceTensor>>& operands,
                   std::span<const std::uint32_t> devices, RuleJudge& judge) {
    for (const std::vector<DeviceTensor>& tensors : operands) {
        judge.require(tensors.empty() || tensors.size() == devices.size(), "tensors",
                      fmt::format("are {}; allowed: one for each of {} devices", tensors.size(),
                                  devices.size()));
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            // Position and device must agree: programs index tensors by position.
            judge.require(tensors[i].buffer.device == i, "tensors",
                          fmt::format("at place {} are on device {}; allowed: device {}", i,
                                      tensors[i].buffer.device, i));
        }
    }
}

/// Returns, by operand, the plan of its tensor on a device; a plan without a shape for omitted
/// operands.
std::vector<TensorPlan> plans_on(std::size_t device,
                                 const std::vector<std::vector<DeviceTensor>>& operands) {
    std::vector<TensorPlan> plans;
    plans.reserve(operands.size());
    for (const std::vector<DeviceTensor>& tensors : operands) {
        plans.push_back(tensors.empty() ? TensorPlan{} : plan_of(tensors.at(device)));
    }
    return plans;
}

}  // namespace

void judge_plan(RuleJudge& judge, std::string_view blamed, const std::function<void()>& plan) {
    try {
        plan();
    } catch (const UsageError& error) {
        // Planning throws where a rule would only report; the reason becomes the rule's text.
        judge.require(false, blamed, error.what());
    }
}

void judge_untaken(std::span<const config::Field> fields, ParameterRef parameters,
                   std::span<const std::string_view> untaken, std::string_view algorithm,
                   RuleJudge& judge) {
    for (const config::Field& field : fields) {
        if (std::ranges::find(untaken, field.key) == untaken.end()) {
            continue;
        }
        const std::string value = field.show(parameters.object());
        // The default is allowed, because it cannot be told from a key that is not given.
        judge.require(value == field.default_text, field.key,
                      fmt::format("is {}, but {} does not use it; allowed: {}, its default", value,
                                  algorithm, field.default_text));
    }
}

std::vector<HostTensor> ReferenceContext::read_all(std::size_t operand) const {
    std::vector<HostTensor> tensors;
    for (const auto& values : inputs[operand]) {
        tensors.push_back(values->all());
    }
    return tensors;
}

std::vector<std::uint32_t> ReferenceContext::counts(std::size_t operand) const {
    const HostTensor tensor = read(operand);
    const auto values = tensor.as<std::uint32_t>();
    return {values.begin(), values.end()};
}

void judge(const Op& op, const OpContext& context, RuleJudge& judge) {
    // Rules may rely on the contract, so they run only if it holds.
    if (check_contract(op, context, judge) && op.rules) {
        op.rules(context, judge);
    }
}

void check_call(const Op& op, const ArchSpec& arch, const MeshSpec& mesh, const OpCall& call) {
    const std::vector<std::uint32_t> devices = all_devices(mesh);
    CallJudge found(op.spec.name);
    judge_devices(call.inputs, devices, found);
    judge_devices(call.outputs, devices, found);
    // Devices first: plans below are read by device.
    found.throw_if_any();
    // Tensors of different devices may have different plans, so each device is checked.
    for (std::size_t device = 0; device < devices.size(); ++device) {
        const std::vector<TensorPlan> inputs = plans_on(device, call.inputs);
        const std::vector<TensorPlan> outputs = plans_on(device, call.outputs);
        judge(op,
              {.arch = arch,
               .mesh = mesh,
               .devices = devices,
               .parameters = call.parameters,
               .inputs = inputs,
               .outputs = outputs},
              found);
        found.throw_if_any();
    }
}

std::vector<DeviceProgram> call_programs(const Op& op, const ArchSpec& arch, const MeshSpec& mesh,
                                         const OpCall& call) {
    check_call(op, arch, mesh, call);
    const std::vector<std::uint32_t> devices = all_devices(mesh);
    // Ops take one plan for all devices, that of the first.
    const std::vector<TensorPlan> inputs = plans_on(0, call.inputs);
    const std::vector<TensorPlan> outputs = plans_on(0, call.outputs);
    // Workspaces follow the outputs, as ops index them.
    std::vector<std::vector<DeviceTensor>> made = call.outputs;
    made.insert(made.end(), call.workspaces.begin(), call.workspaces.end());
    return op.programs({.arch = arch,
                        .mesh = mesh,
                        .devices = devices,
                        .parameters = call.parameters,
                        .inputs = inputs,
                        .outputs = outputs,
                        .device_inputs = call.inputs,
                        .device_outputs = made,
                        .host_inputs = call.host_inputs});
}

Program call_program(const Op& op, const ArchSpec& arch, ParameterRef parameters,
                     const std::vector<DeviceTensor>& inputs,
                     const std::vector<DeviceTensor>& outputs,
                     const std::vector<std::uint32_t>& counts) {
    OpCall call{parameters, {}, {}};
    for (const DeviceTensor& tensor : inputs) {
        const std::size_t operand = call.inputs.size();
        auto& read = call.host_inputs.emplace_back();
        // Counts are given to the operands that the contract says the host reads.
        if (operand < op.spec.inputs.size() && !counts.empty() &&
            op.spec.inputs[operand].host_read == HostRead::Yes) {
            read.push_back(
                make_host_tensor({static_cast<std::uint32_t>(counts.size())}, DataFormat::UInt32));
            std::ranges::copy(counts, read.back().as<std::uint32_t>().begin());
        }
        call.inputs.push_back({tensor});
    }
    for (const DeviceTensor& tensor : outputs) {
        call.outputs.push_back({tensor});
    }
    return std::move(call_programs(op, arch, {}, call).front().program);
}

std::vector<DeviceProgram> on_each(const OpContext& context,
                                   const std::function<Program(std::size_t position)>& program) {
    std::vector<DeviceProgram> programs;
    for (std::size_t position = 0; position < context.devices.size(); ++position) {
        // Positions index tensors of the call, devices are those of the mesh: a group need not
        // begin at 0.
        programs.push_back(
            {.device = context.devices[position], .program = program(position), .is_alone = true});
    }
    return programs;
}

std::function<std::vector<DeviceProgram>(const OpContext&)> on_each(
    Program (*program)(const OpContext& context, std::size_t position)) {
    return [program](const OpContext& context) {
        return on_each(context, [&](std::size_t position) { return program(context, position); });
    };
}

std::vector<TensorPlan> like_first_input(const OpContext& context) {
    return {{.spec = context.inputs[kFirst].spec}};
}

namespace {

std::vector<ElementRange> ranges_of_rows(const std::vector<bool>& rows, const Shape& shape) {
    if (rows.empty()) {
        return {{0, num_elements(shape)}};
    }
    const std::uint64_t width = shape.back();
    std::vector<ElementRange> ranges;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!rows[row]) {
            continue;
        }
        // Neighbouring rows become one range: comparisons run over few long ranges.
        if (ranges.empty() || ranges.back().first + ranges.back().count != row * width) {
            ranges.push_back({row * width, 0});
        }
        ranges.back().count += width;
    }
    return ranges;
}

}  // namespace

std::function<std::vector<std::vector<ElementRange>>(const ReferenceContext&)> valid_of_rows(
    std::function<std::vector<std::vector<bool>>(const ReferenceContext& context)> counted) {
    return [counted = std::move(counted)](const ReferenceContext& context) {
        const std::vector<std::vector<bool>> rows = counted(context);
        std::vector<std::vector<ElementRange>> ranges;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ranges.push_back(ranges_of_rows(rows[i], context.outputs[i].spec.shape));
        }
        return ranges;
    };
}

}  // namespace tessera::ops
