// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/planned_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using ops::OpContext;
using ops::TensorPlan;
using pipeline::PipelineStep;
using pipeline::PipelineTensor;

/// Plans an input tensor: its part on each device, in the stated memory.
void plan_tensor(PipelineBinder& binder, const PipelineTensor& tensor, PlannedTensors& planned) {
    const std::string path = "tensors." + tensor.name;
    try {
        const TensorSpec spec = device_spec(tensor, binder.target.mesh.shape.num_devices());
        // Throws for a shape that the format or the layout cannot hold.
        (void)spec.page_size();
        require(tensor.split_by.empty() || find_tensor(binder.spec, tensor.split_by) != nullptr,
                "split by {}, which is not an input tensor", tensor.split_by);
        check_origin(binder.spec, tensor);
        planned.emplace(tensor.name,
                        PlannedTensor{.plan = placed(spec, tensor.memory, binder.target.arch),
                                      .is_open = !tensor.has_memory});
    } catch (const UsageError& error) {
        binder.rules.add(tensor.place, path, error.what());
        // Entered nevertheless, so that steps that read it do not report an unknown tensor.
        planned.emplace(tensor.name, PlannedTensor{.is_known = false});
    }
}

/// Enters the ops that read the input tensors. A step with parts is left out: its parts read.
void note_readers(const PipelineBinder& binder, PlannedTensors& planned) {
    for (const PipelineStep& step : binder.spec.steps) {
        for (const std::string& name : step.inputs) {
            const auto found = planned.find(name);
            if (found != planned.end() && !step.op->parts) {
                found->second.readers.insert(step.op.get());
            }
        }
    }
}

/// Returns a device of the step that does not have the tensor. Steps on single devices leave their
/// outputs there.
std::optional<std::uint32_t> device_without(const PlannedTensor& tensor, const PipelineStep& step) {
    if (tensor.devices.empty()) {
        return std::nullopt;
    }
    for (const std::vector<std::uint32_t>& group : step.groups) {
        for (const std::uint32_t device : group) {
            if (!tensor.devices.contains(device)) {
                return device;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

TensorPlan placed(const TensorSpec& spec, MemoryConfig memory, const ArchSpec& arch) {
    TensorPlan plan{spec, memory.memory, memory.layout, std::nullopt};
    require(memory.is_sharded() || memory.shard == ShardShape{},
            "memory.shard is stated, but the layout is interleaved; allowed: layout block");
    if (memory.is_sharded()) {
        const bool has_grid = memory.grid.columns != 0 || memory.grid.rows != 0;
        if (memory.memory == BufferType::DRAM && !has_grid) {
            memory.grid = {arch.dram.num_banks, 1};
        }
        plan.shard = make_shard_spec(spec, memory);
    }
    return plan;
}

PlannedTensors plan_tensors(PipelineBinder& binder) {
    PlannedTensors planned;
    for (const PipelineTensor& tensor : binder.spec.tensors) {
        plan_tensor(binder, tensor, planned);
    }
    note_readers(binder, planned);
    return planned;
}

bool gather_inputs(PipelineBinder& binder, PipelineStep& step, const PlannedTensors& planned) {
    const std::string path = fmt::format("steps.{}.in", step.name);
    bool are_known = true;
    for (const std::string& name : step.inputs) {
        if (name.empty()) {  // omitted: the contract says whether it is optional
            step.input_plans.emplace_back();
            continue;
        }
        const auto found = planned.find(name);
        if (found == planned.end()) {
            std::vector<std::string> names;
            for (const auto& [known, tensor] : planned) {
                names.push_back(known);
            }
            binder.binding.violations.add(step.inputs_place, path, unknown_tensor(name, names));
            return false;
        }
        if (const auto device = device_without(found->second, step)) {
            binder.rules.add(step.inputs_place, path,
                             fmt::format("{} is not on device {}", name, *device));
            return false;
        }
        // An input whose step has a mistake silently ends the check of this step: its mistakes
        // would be consequences.
        are_known = are_known && found->second.is_known;
        step.input_plans.push_back(found->second.plan);
    }
    return are_known;
}

void place_open_inputs(PipelineStep& step, const OpContext& context, PlannedTensors& planned) {
    if (step.op->parts) {
        return;
    }
    std::vector<TensorPlan> wanted;
    if (step.op->place_inputs) {
        wanted = step.op->place_inputs(context);
    }
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        if (step.inputs[i].empty()) {
            continue;  // omitted
        }
        PlannedTensor& tensor = planned.find(step.inputs[i])->second;
        // An op places a tensor only if no other op reads it, which may want another placement.
        const bool is_chosen = tensor.is_open && i < wanted.size() &&
                               std::ranges::all_of(tensor.readers, [&](const ops::Op* reader) {
                                   return reader == step.op.get();
                               });
        if (is_chosen) {
            tensor.plan = wanted[i];
            step.input_plans[i] = wanted[i];
        }
        // The first step that reads the tensor decides; later steps check the placement.
        tensor.is_open = false;
    }
}

}  // namespace tessera::config
