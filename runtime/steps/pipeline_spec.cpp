// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/pipeline_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ops/registry.hpp"

namespace tessera::pipeline {

std::string name_on(std::string pattern, std::uint32_t device) {
    constexpr std::string_view kDevice = "${device}";
    // Every occurrence: a name may have the device in a folder and in a tensor.
    for (std::size_t at = pattern.find(kDevice); at != std::string::npos;
         at = pattern.find(kDevice, at)) {
        pattern.replace(at, kDevice.size(), std::to_string(device));
    }
    return pattern;
}

namespace {

/// Returns whether a file of outputs holds a step's output once, under its own name: all devices
/// of the mesh hold the same bytes, or there is only one device.
bool is_stored_once(const PipelineSpec& pipeline, const PipelineStep& step, std::size_t output,
                    std::uint32_t devices) {
    if (devices == 1 && pipeline.has_plain_names) {
        return true;
    }
    // An op promises equal bytes within a group only; several groups hold several results.
    return step.op->spec.outputs[output].replicas == ops::Replicas::Same &&
           step.groups.size() == 1 && step.groups.front().size() == devices;
}

/// Returns the tensors of the file that an entry of `outputs:` makes of output `index` of a step.
std::vector<StoredOutput> stored_by(const FileOutput& output, const PipelineSpec& pipeline,
                                    const PipelineStep& step, std::size_t index,
                                    std::uint32_t num_devices) {
    // Order of precedence: a join names one tensor for its group; a name without ${device} can name
    // one tensor only; all else is one tensor for each device.
    const std::uint32_t first = step.groups.front().front();
    const std::string name = output.name.empty() ? output.tensor : output.name;
    if (output.join != FileJoin::None) {
        return {{name, output.devices, &output}};
    }
    if (output.name.empty() && is_stored_once(pipeline, step, index, num_devices)) {
        return {{name, {0}, &output}};
    }
    // The name has no ${device}, so it refers to one device.
    if (!output.name.empty() && name_on(output.name, 0) == output.name) {
        return {{name, {first}, &output}};
    }
    std::vector<StoredOutput> stored;
    for (const auto& group : step.groups) {
        for (const std::uint32_t device : group) {
            stored.push_back({output.name.empty() ? own_name(device, output.tensor)
                                                  : name_on(output.name, device),
                              {device},
                              &output});
        }
    }
    return stored;
}

}  // namespace

std::vector<StoredOutput> stored_outputs(const PipelineSpec& pipeline, const PipelineStep& step,
                                         std::size_t index, std::uint32_t num_devices) {
    std::vector<StoredOutput> all;
    // One tensor may have several entries, such as a part of its rows and a join.
    for (const FileOutput& output : pipeline.outputs) {
        if (output.tensor == step.outputs[index].name) {
            std::ranges::move(stored_by(output, pipeline, step, index, num_devices),
                              std::back_inserter(all));
        }
    }
    return all;
}

const PipelineTensor* find_tensor(const PipelineSpec& pipeline, std::string_view name) {
    const auto found = std::ranges::find(pipeline.tensors, name, &PipelineTensor::name);
    return found == pipeline.tensors.end() ? nullptr : &*found;
}

std::uint32_t num_parts(const PipelineTensor& tensor, std::uint32_t devices) {
    return tensor.split_groups.empty()
               ? devices
               : static_cast<std::uint32_t>(tensor.split_groups.front().size());
}

/// Parts are counted within a group: each group holds the whole tensor.
std::uint32_t part_on(const PipelineTensor& tensor, std::uint32_t device) {
    for (const auto& group : tensor.split_groups) {
        const auto found = std::ranges::find(group, device);
        if (found != group.end()) {
            return static_cast<std::uint32_t>(found - group.begin());
        }
    }
    // Without groups the parts are those of all devices, in order.
    return device;
}

Shape with_rank(Shape shape, std::size_t rank) {
    if (shape.size() < rank) {
        shape.insert(shape.begin(), rank - shape.size(), 1);
    }
    return shape;
}

TensorSpec device_spec(const PipelineTensor& tensor, std::uint32_t devices) {
    TensorSpec spec = tensor.spec;
    if (tensor.distribution != Distribution::Split) {
        return spec;
    }
    require(tensor.split_axis < spec.shape.size(), "axis {} of {} extents; allowed: 0 to {}",
            tensor.split_axis, spec.shape.size(), spec.shape.size() - 1);
    std::uint32_t& extent = spec.shape[tensor.split_axis];
    const std::uint32_t parts = num_parts(tensor, devices);
    require(tensor.split_extent == 0 || !tensor.split_by.empty(),
            "extent is {} without by; allowed: 0, or a tensor that says which indices a device has",
            tensor.split_extent);
    require(tensor.split_extent != 0 || extent % parts == 0,
            "axis {} has extent {}; allowed: a multiple of {}, the number of devices{}",
            tensor.split_axis, extent, parts,
            tensor.split_by.empty() ? "" : ", or the key extent for parts of different size");
    extent = tensor.split_extent != 0 ? tensor.split_extent : extent / parts;
    if (tensor.drops_axis) {
        require(extent == 1, "axis {} has {} indices a device; an axis is dropped only if it has 1",
                tensor.split_axis, extent);
        spec.shape.erase(spec.shape.begin() + tensor.split_axis);
    }
    return spec;
}

bool is_read_from(const PipelineSpec& pipeline, std::string_view name, std::size_t first_step) {
    return std::any_of(pipeline.steps.begin() + static_cast<std::ptrdiff_t>(first_step),
                       pipeline.steps.end(), [&](const PipelineStep& step) {
                           return std::ranges::find(step.inputs, name) != step.inputs.end();
                       });
}

/// The second condition depends on the schedule: moe_bmm reads counts with split_by=host only.
bool is_read_back(const PipelineStep& step, std::size_t input) {
    const ops::Op& op = *step.op;
    return op.spec.inputs[input].host_read == ops::HostRead::Yes &&
           (!op.reads_back || op.reads_back(step.parameters.get()));
}

const ops::TensorPlan* plan_of_input(const PipelineSpec& pipeline, std::string_view name) {
    // All readers of a tensor find it where the first one planned it.
    for (const PipelineStep& step : pipeline.steps) {
        const auto input = std::ranges::find(step.inputs, name);
        if (input != step.inputs.end()) {
            return &step.input_plans[static_cast<std::size_t>(input - step.inputs.begin())];
        }
    }
    return nullptr;
}

bool outlives_the_run(const PipelineSpec& pipeline, std::string_view name) {
    const PipelineTensor* tensor = find_tensor(pipeline, name);
    return tensor != nullptr && tensor->persistent;
}

std::string workspace_name(const PipelineStep& step, std::size_t index) {
    return fmt::format("{}.workspace_{}", step.name, index);
}

std::string own_name(std::uint32_t device, std::string_view name) {
    return fmt::format("d{}.{}", device, name);
}

namespace {

/// Returns the bytes on one device of those outputs of step `made` that exist during step `now`.
std::uint64_t live_output_bytes(const PipelineSpec& pipeline, std::size_t made, std::size_t now) {
    const PipelineStep& step = pipeline.steps[made];
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < step.output_plans.size(); ++i) {
        if (made == now || is_read_from(pipeline, step.outputs[i].name, now)) {
            bytes += step.output_plans[i].spec.num_bytes();
        }
    }
    return bytes;
}

}  // namespace

std::uint64_t host_bytes(const PipelineSpec& pipeline, std::uint32_t devices) {
    // The peak over steps, not the sum: a run frees a tensor's values after its last reader.
    // Checked before a run: 46 GiB of weights on a host of 23 GiB ended with a killed process.
    std::uint64_t most = 0;
    for (std::size_t now = 0; now < pipeline.steps.size(); ++now) {
        std::uint64_t bytes = 0;
        for (const PipelineTensor& tensor : pipeline.tensors) {
            const bool is_shared = tensor.distribution == Distribution::Replicated;
            // Replicas share their pages on the host (PlacedTensors::write).
            if (is_read_from(pipeline, tensor.name, now)) {
                bytes += device_spec(tensor, devices).num_bytes() * (is_shared ? 1 : devices);
            }
        }
        for (std::size_t made = 0; made <= now; ++made) {
            bytes += live_output_bytes(pipeline, made, now) * devices;
        }
        most = std::max(most, bytes);
    }
    // References, events and staging buffers live beside the tensors. Without an allowance, a layer
    // of 21.9 GiB began on a host with 22 GiB and was killed.
    constexpr std::uint64_t kTensorsPerExtra = 8;
    return most + most / kTensorsPerExtra;
}

std::size_t end_of_launch(const PipelineSpec& pipeline, std::size_t first) {
    std::size_t end = first + 1;
    const std::string& launch = pipeline.steps[first].launch;
    // Only neighbours share a launch: a step between two of one name runs between two launches.
    while (!launch.empty() && end < pipeline.steps.size() && pipeline.steps[end].launch == launch) {
        ++end;
    }
    return end;
}

std::size_t num_launches(const PipelineSpec& pipeline) {
    std::size_t launches = 0;
    for (std::size_t step = 0; step < pipeline.steps.size(); step = end_of_launch(pipeline, step)) {
        ++launches;
    }
    return launches;
}

const std::string& launch_name(const PipelineSpec& pipeline, std::size_t first) {
    const PipelineStep& step = pipeline.steps[first];
    return step.launch.empty() ? step.name : step.launch;
}

// Used for "did you mean" and for sweep.rank_by.
std::vector<std::string> launch_names(const PipelineSpec& pipeline) {
    std::vector<std::string> names;
    for (std::size_t step = 0; step < pipeline.steps.size(); step = end_of_launch(pipeline, step)) {
        names.push_back(launch_name(pipeline, step));
    }
    return names;
}

std::string_view op_name(const PipelineStep& step) {
    return step.op->spec.name;
}

bool has_own_kernels(const PipelineStep& step) {
    return ops::find_op(op_name(step)) != step.op.get();
}

}  // namespace tessera::pipeline
