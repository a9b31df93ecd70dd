// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/drawn_scores.hpp"

#include <algorithm>

#include "emu/tile/format/integer.hpp"
#include "ops/op.hpp"
#include "runtime/pipeline/origin_values.hpp"

namespace tessera::pipeline {
namespace {

/// Returns normal values for an output, as an input tensor of its name and spec would have.
HostTensor drawn_like(const PipelineSpec& pipeline, const std::string& name,
                      const TensorSpec& spec) {
    PipelineTensor tensor;
    tensor.name = name;
    tensor.spec = spec;
    tensor.origin.kind = OriginKind::Normal;
    return value_of_origin(tensor, {.seed = pipeline.seed});
}

/// Returns whether a run without values draws an output. Integers are computed in all runs.
bool is_drawn(const std::string& name, const TensorSpec& spec,
              std::span<const std::string> steering) {
    return std::ranges::find(steering, name) != steering.end() &&
           !tile::is_integer_format(spec.format);
}

}  // namespace

std::vector<std::string> steering_tensors(const PipelineSpec& pipeline) {
    std::vector<std::string> names;
    for (const PipelineStep& step : pipeline.steps) {
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            if (i < step.op->spec.inputs.size() &&
                step.op->spec.inputs[i].steers == ops::Steers::Yes) {
                names.push_back(step.inputs[i]);
            }
        }
    }
    return names;
}

std::vector<std::string> drawn_tensors(const PipelineSpec& pipeline) {
    const std::vector<std::string> steering = steering_tensors(pipeline);
    std::vector<std::string> drawn;
    for (const PipelineStep& step : pipeline.steps) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            if (is_drawn(step.outputs[i].name, step.output_plans[i].spec, steering)) {
                drawn.push_back(step.outputs[i].name);
            }
        }
    }
    return drawn;
}

std::vector<std::string> draw_scores(const PipelineSpec& pipeline, const PipelineStep& step,
                                     std::span<const std::string> steering,
                                     const PlacedTensors& tensors, Session& session) {
    std::vector<std::string> drawn;
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        const std::string& name = step.outputs[i].name;
        const TensorSpec& spec = step.output_plans[i].spec;
        if (!is_drawn(name, spec, steering)) {
            continue;
        }
        std::vector<DeviceTensor> replicas;
        for (const auto& group : step.groups) {
            for (const std::uint32_t device : group) {
                replicas.push_back(tensors.on(device, name));
            }
        }
        // All devices get the same values, so that devices with different tokens make the same
        // choices (docs/emulation.md).
        session.write_replicated(replicas, drawn_like(pipeline, name, spec));
        drawn.push_back(name);
    }
    return drawn;
}

}  // namespace tessera::pipeline
