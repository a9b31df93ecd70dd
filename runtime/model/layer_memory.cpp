// SPDX-License-Identifier: Apache-2.0
// Memory that a layer takes of a device and of the host.
#include <algorithm>

#include "runtime/config/load.hpp"
#include "runtime/model/layer_run.hpp"
#include "runtime/pipeline/run_stages.hpp"
#include "runtime/steps/pipeline_spec.hpp"

namespace tessera::model {
namespace {

/// Returns the bytes of the outputs of step `made` that memory holds during step `now`.
std::uint64_t kept_bytes(const pipeline::PipelineSpec& pipeline, std::size_t made,
                         std::size_t now) {
    const pipeline::PipelineStep& step = pipeline.steps[made];
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < step.output_plans.size() && i < step.outputs.size(); ++i) {
        if (made == now || is_read_from(pipeline, step.outputs[i].name, now)) {
            bytes += step.output_plans[i].spec.num_bytes();
        }
    }
    return bytes;
}

/// Returns the bytes that steps make and later steps still read, at the fullest moment.
std::uint64_t peak_of_outputs(const pipeline::PipelineSpec& pipeline) {
    std::uint64_t most = 0;
    for (std::size_t now = 0; now < pipeline.steps.size(); ++now) {
        std::uint64_t bytes = 0;
        for (std::size_t made = 0; made <= now; ++made) {
            bytes += kept_bytes(pipeline, made, now);
        }
        most = std::max(most, bytes);
    }
    return most;
}

}  // namespace

DeviceMemory device_memory(const config::LoadedRun& loaded) {
    const pipeline::PipelineSpec& pipeline = loaded.pipeline;
    const std::uint32_t devices = loaded.run.mesh.shape.num_devices();
    DeviceMemory memory{.activations = peak_of_outputs(pipeline),
                        .dram = loaded.arch.dram.bank_size.value * loaded.arch.dram.num_banks};
    for (const pipeline::PipelineTensor& tensor : pipeline.tensors) {
        if (!is_read_from(pipeline, tensor.name, 0)) {
            continue;
        }
        const std::uint64_t bytes = device_spec(tensor, devices).num_bytes();
        const std::string group = group_of(pipeline.report.memory, tensor.name);
        (group == "cache"                     ? memory.cache
         : group.empty() || group == "tokens" ? memory.activations
                                              : memory.weights) += bytes;
    }
    return memory;
}

std::uint64_t host_bytes(const config::LoadedRun& loaded) {
    return pipeline::host_bytes(loaded.pipeline, loaded.run.mesh.shape.num_devices());
}

}  // namespace tessera::model
