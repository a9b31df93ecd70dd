// SPDX-License-Identifier: Apache-2.0
#include "ops/op.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/contract.hpp"

namespace tessera::ops {
namespace {

/// Throws what a rule finds wrong, all of it together.
class CallJudge final : public RuleJudge {
public:
    explicit CallJudge(std::string_view op) : op_(op) {}
    void require(bool holds, std::string_view blamed, const std::string& text) override {
        if (!holds) {
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
    std::iota(devices.begin(), devices.end(), 0U);
    return devices;
}

}  // namespace

TensorPlan plan_of(const DeviceTensor& tensor) {
    return {tensor.spec, tensor.buffer.type, tensor.buffer.layout, tensor.buffer.shard};
}

void judge_plan(RuleJudge& judge, std::string_view blamed, const std::function<void()>& plan) {
    try {
        plan();
    } catch (const UsageError& error) {
        judge.require(false, blamed, error.what());
    }
}

void judge_untaken(std::span<const config::Field> fields, const void* parameters,
                   std::span<const std::string_view> untaken, std::string_view algorithm,
                   RuleJudge& judge) {
    for (const config::Field& field : fields) {
        if (std::ranges::find(untaken, field.key) == untaken.end()) {
            continue;
        }
        const std::string value = field.show(parameters);
        judge.require(value == field.default_text, field.key,
                      fmt::format("is {}, which {} does not take; allowed: {}, its default", value,
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
    if (check_contract(op, context, judge) && op.rules) {
        op.rules(context, judge);
    }
}

void check_call(const Op& op, const ArchSpec& arch, const void* parameters,
                std::span<const DeviceTensor* const> inputs,
                std::span<const DeviceTensor* const> outputs) {
    std::vector<TensorPlan> in;
    std::vector<TensorPlan> out;
    for (const DeviceTensor* tensor : inputs) {
        in.push_back(plan_of(*tensor));
    }
    for (const DeviceTensor* tensor : outputs) {
        out.push_back(plan_of(*tensor));
    }
    constexpr std::uint32_t kDevice = 0;
    const MeshSpec mesh;
    CallJudge found(op.spec.name);
    judge(op,
          {.arch = arch,
           .mesh = mesh,
           .devices = {&kDevice, 1},
           .parameters = parameters,
           .inputs = in,
           .outputs = out},
          found);
    found.throw_if_any();
}

void check_call(const Op& op, const ArchSpec& arch, const MeshSpec& mesh, const void* parameters,
                std::span<const std::span<const DeviceTensor>> inputs,
                std::span<const std::span<const DeviceTensor>> outputs) {
    const std::vector<std::uint32_t> devices = all_devices(mesh);
    CallJudge found(op.spec.name);
    const auto plans = [&](std::span<const std::span<const DeviceTensor>> operands,
                           std::size_t device) {
        std::vector<TensorPlan> tensors;
        for (const auto& operand : operands) {
            found.require(operand.size() == devices.size(), "tensors",
                          fmt::format("are {}; allowed: one for each of {} devices", operand.size(),
                                      devices.size()));
            if (device < operand.size()) {
                tensors.push_back(plan_of(operand[device]));
                const Buffer& buffer = operand[device].buffer;
                found.require(buffer.device == device, "tensors",
                              fmt::format("at place {} lie on device {}; allowed: device {}",
                                          device, buffer.device, device));
            }
        }
        return tensors;
    };
    for (std::size_t device = 0; device < devices.size(); ++device) {
        const auto in = plans(inputs, device);
        const auto out = plans(outputs, device);
        found.throw_if_any();
        judge(op,
              {.arch = arch,
               .mesh = mesh,
               .devices = devices,
               .parameters = parameters,
               .inputs = in,
               .outputs = out},
              found);
        found.throw_if_any();
    }
}

std::vector<DeviceProgram> on_each(const OpContext& context,
                                   const std::function<Program(std::size_t position)>& program) {
    std::vector<DeviceProgram> programs;
    for (std::size_t position = 0; position < context.devices.size(); ++position) {
        programs.push_back({context.devices[position], program(position)});
    }
    return programs;
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
