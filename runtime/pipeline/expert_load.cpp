// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/expert_load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/base/fields/value.hpp"
#include "runtime/pipeline/axis_parts.hpp"

namespace tessera::pipeline {
namespace {

/// Returns the name of the operand with the counts of another operand's valid rows; empty if there
/// is none. Only counts of each matrix qualify: these are rows of experts, others rows of devices.
std::string_view counts_operand(const PipelineStep& step) {
    for (const auto operands : {step.op->spec.inputs, step.op->spec.outputs}) {
        for (const ops::Operand& operand : operands) {
            if (!operand.valid_rows.empty() && operand.rows_are == ops::ValidRows::OfEachMatrix) {
                return operand.valid_rows;
            }
        }
    }
    return {};
}

/// Returns the global numbers of the experts of `device`. A tensor that is split by a mapping with
/// the same number of indices names them; without one, experts are contiguous.
std::vector<std::uint32_t> indices_on(std::uint32_t device, std::size_t count,
                                      const TensorValues& values, const PipelineSpec& pipeline) {
    for (const PipelineTensor& tensor : pipeline.tensors) {
        if (tensor.distribution == Distribution::Split && !tensor.split_by.empty()) {
            auto indices = values.indices_on(tensor, device);
            if (indices.size() == count) {
                return indices;
            }
        }
    }
    std::vector<std::uint32_t> indices(count);
    for (std::size_t i = 0; i < count; ++i) {
        indices[i] = static_cast<std::uint32_t>(device * count + i);
    }
    return indices;
}

}  // namespace

void note_expert_load(const PipelineStep& step, std::span<const StepValues> groups,
                      const TensorValues& values, const PipelineSpec& pipeline,
                      std::optional<report::ExpertLoad>& load) {
    const std::string_view counts = counts_operand(step);
    if (counts.empty()) {
        return;
    }
    // A step that writes the counts routes tokens; steps that read them process the rows.
    const auto output = std::ranges::find(step.op->spec.outputs, counts, &ops::Operand::name);
    // The counts are an input: this step processes the rows that an earlier step counted.
    if (output == step.op->spec.outputs.end()) {
        if (load) {
            load->launches.push_back(step.launch.empty() ? step.name : step.launch);
        }
        return;
    }
    // A pipeline with several layers shows its last one.
    load.emplace();
    const auto index = static_cast<std::size_t>(output - step.op->spec.outputs.begin());
    const auto note_device = [&](std::uint32_t device, const HostTensor& tensor) {
        const auto tokens = tensor.as<std::uint32_t>();
        const auto experts = indices_on(device, tokens.size(), values, pipeline);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            // Experts have global numbers, since each device counts its own from 0.
            if (experts[i] != kPadding) {  // a slot without an expert
                load->experts.push_back(
                    {experts[i], static_cast<std::uint16_t>(device), tokens[i]});
            }
        }
    };
    for (const StepValues& group : groups) {
        for (std::size_t position = 0; position < group.devices.size(); ++position) {
            note_device(group.devices[position], group.outputs[index][position]->all());
        }
    }
}

// Params that a user sets describe a workload in few words; a run without them has few tensors.
report::PipelineSummary summary_of(const PipelineSpec& pipeline) {
    report::PipelineSummary summary;
    for (const PipelineParam& param : pipeline.params) {
        if (!param.is_derived) {
            summary.values.emplace_back(param.name, show(param.value));
        }
    }
    for (const PipelineTensor& tensor : pipeline.tensors) {
        if (pipeline.params.empty()) {
            summary.values.emplace_back(
                tensor.name, fmt::format("{} {}", to_string(tensor.spec.shape),
                                         config::Value<DataFormat>::show(tensor.spec.format)));
        }
    }
    return summary;
}

}  // namespace tessera::pipeline
