// SPDX-License-Identifier: Apache-2.0
// Checks that need values or the host, made before the first kernel; values that steps make
// are checked before the launch that reads them. Checks of the configuration alone are part of
// config::load_run. `check`, `run`, `sweep`, `tune` and `moe profile` share both.
#include <algorithm>

#include "emu/base/host_memory.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/reference_chain.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera::pipeline {
namespace {

/// Checks the values of input tensors by the rules of the ops that read them, such as ids in range.
class OriginCheck {
public:
    OriginCheck(const PipelineSpec& pipeline, const TensorValues& values, std::uint32_t devices)
        : pipeline_(pipeline), values_(values), num_devices_(devices) {}

    void check(const PipelineStep& step) const {
        if (!step.op->check_values) {
            return;
        }
        // Every member of a group is checked: a page table that was wrong on the second device
        // ended the process with a segmentation fault in its reference.
        for (const auto& group : step.groups) {
            const StepValues values = operands(step, group);
            if (values.inputs.size() != step.inputs.size()) {
                continue;
            }
            // With replicated inputs all devices have the same mistake.
            const std::size_t differing = takes_replicas_alone(step) ? 1 : group.size();
            for (std::size_t position = 0; position < differing; ++position) {
                check_values(step, {.parameters = step.parameters.get(),
                                    .position = position,
                                    .inputs = values.inputs,
                                    .outputs = step.output_plans});
            }
        }
    }

private:
    /// Returns whether all devices have the same values of the step's input tensors.
    [[nodiscard]] bool takes_replicas_alone(const PipelineStep& step) const {
        return std::ranges::all_of(step.inputs, [&](const std::string& input) {
            const PipelineTensor* tensor = find_tensor(pipeline_, input);
            return tensor == nullptr || tensor->distribution == Distribution::Replicated;
        });
    }
    /// Returns the operands of the check: values of input tensors, and shapes of operands that the
    /// op does not check. Returns fewer operands than inputs if a step makes a checked operand,
    /// whose values are unknown before the run; reference_of() checks those.
    [[nodiscard]] StepValues operands(const PipelineStep& step,
                                      std::span<const std::uint32_t> group) const {
        StepValues values{.devices = group, .inputs = {}, .outputs = {}};
        const auto& checked = step.op->checked_inputs;
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            const bool is_read = checked.empty() || std::ranges::find(checked, i) != checked.end();
            const PipelineTensor* tensor = find_tensor(pipeline_, step.inputs[i]);
            if (step.inputs[i].empty()) {
                values.inputs.emplace_back();  // an omitted optional operand
                continue;
            }
            if (is_read && tensor == nullptr) {
                return values;
            }
            auto& operand = values.inputs.emplace_back();
            for (const std::uint32_t device : group) {
                if (tensor == nullptr) {
                    operand.push_back(std::make_shared<ShapeOnly>(step.input_plans[i].spec.shape));
                } else {
                    operand.push_back(std::make_shared<OriginValues>(
                        values_, *tensor, device, device_spec(*tensor, num_devices_).shape));
                }
            }
        }
        return values;
    }

    const PipelineSpec& pipeline_;
    const TensorValues& values_;
    std::uint32_t num_devices_;
};

bool makes(std::span<const PipelineStep> steps, const std::string& tensor) {
    return std::ranges::any_of(steps, [&](const PipelineStep& step) {
        return std::ranges::find(step.outputs, tensor, &StepOutput::name) != step.outputs.end();
    });
}

}  // namespace

void check_before_run(const config::LoadedRun& loaded, const RunModes& modes,
                      const RunFiles& files) {
    const PipelineSpec& pipeline = loaded.pipeline;
    const std::uint32_t devices = loaded.run.mesh.shape.num_devices();
    require_known(files.kernels, pipeline.kernels);
    if (modes.maths == Maths::On) {
        // A timing-only run computes no values and needs no memory for them.
        require_host_memory(host_bytes(pipeline, devices), "the values of this pipeline",
                            "make it smaller, or add --timing-only, which computes none");
    }
    if (modes.maths == Maths::On && loaded.run.verify.level == VerifyLevel::FinalOnly) {
        require_chain(pipeline);
    }
    const TensorValues values(pipeline, devices, files.inputs, files.state);
    const OriginCheck origins(pipeline, values, devices);
    // An op that consists of others checks its own inputs; its parts have only pieces of them.
    for (const auto* steps : {&pipeline.replaced_steps, &pipeline.steps}) {
        for (const PipelineStep& step : *steps) {
            origins.check(step);
        }
    }
}

void check_made_values(const PipelineSpec& pipeline, std::span<const PipelineStep> launched,
                       const PipelineStep& step, const PlacedStep& placed, const Session& session) {
    if (!step.op->check_values) {
        return;
    }
    bool has_made = false;
    const auto& checked = step.op->checked_inputs;
    StepValues values{.devices = {}, .inputs = {}, .outputs = {}};
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const bool is_read = checked.empty() || std::ranges::find(checked, i) != checked.end();
        // Steps of one launch run at the same time: their outputs have no values yet.
        if (is_read && makes(launched, step.inputs[i])) {
            return;
        }
        has_made = has_made || (is_read && !step.inputs[i].empty() &&
                                find_tensor(pipeline, step.inputs[i]) == nullptr);
        auto& operand = values.inputs.emplace_back();
        for (const DeviceTensor& tensor : placed.inputs[i]) {
            operand.push_back(std::make_shared<DeviceValues>(session, tensor));
        }
    }
    const std::size_t positions = has_made ? values.inputs.front().size() : 0;
    for (std::size_t position = 0; position < positions; ++position) {
        check_values(step, {.parameters = step.parameters.get(),
                            .position = position,
                            .inputs = values.inputs,
                            .outputs = step.output_plans});
    }
}

}  // namespace tessera::pipeline
