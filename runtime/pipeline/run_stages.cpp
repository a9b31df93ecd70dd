// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_stages.hpp"

#include <algorithm>

#include "runtime/steps/name_pattern.hpp"

namespace tessera::pipeline {
namespace {

/// Returns the bytes of a tensor's values without the padding of tiles: a user compares them with
/// the size of a model.
std::uint64_t value_bytes(const TensorSpec& spec) {
    return num_elements(spec.shape) * tile_bytes(spec.format) / kTileElements;
}

/// Returns the index of the first group with a pattern for the name; the number of groups if none
/// matches.
std::size_t place_of(const std::vector<NamedPatterns>& named, const std::string& name) {
    const auto found = std::ranges::find_if(named, [&](const NamedPatterns& patterns) {
        return std::ranges::any_of(patterns.patterns, [&](const std::string& pattern) {
            return patterns_overlap(pattern, name);
        });
    });
    return static_cast<std::size_t>(found - named.begin());
}

}  // namespace

std::string group_of(const std::vector<NamedPatterns>& groups, const std::string& name) {
    const std::size_t place = place_of(groups, name);
    return place < groups.size() ? groups[place].name : "";
}

std::optional<report::RunStages> run_stages(const PipelineSpec& pipeline, std::uint32_t devices) {
    const ReportSpec& spec = pipeline.report;
    if (spec.stages.empty()) {
        return std::nullopt;
    }
    report::RunStages run{.tokens = spec.tokens, .stages = {}, .memory = {}};
    for (const NamedPatterns& stage : spec.stages) {
        run.stages.push_back({stage.name, {}});
    }
    // Launches without a stage are shown too, so that the shares of all stages add up to the run.
    run.stages.push_back({"other", {}});
    for (std::size_t first = 0; first < pipeline.steps.size();
         first = end_of_launch(pipeline, first)) {
        const PipelineStep& step = pipeline.steps[first];
        const std::string& name = step.launch.empty() ? step.name : step.launch;
        run.stages[place_of(spec.stages, name)].launches.push_back(name);
    }
    if (run.stages.back().launches.empty()) {
        run.stages.pop_back();
    }
    for (const NamedPatterns& memory : spec.memory) {
        run.memory.push_back({memory.name});
    }
    for (const PipelineTensor& tensor : pipeline.tensors) {
        const std::size_t place = place_of(spec.memory, tensor.name);
        if (place < run.memory.size()) {
            // Bytes of one device: a mesh holds replicas and parts, whose sum means nothing.
            run.memory[place].bytes += value_bytes(device_spec(tensor, devices));
        }
    }
    return run;
}

}  // namespace tessera::pipeline
