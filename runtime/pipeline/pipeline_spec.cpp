// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/pipeline_spec.hpp"

#include <algorithm>

namespace tessera::pipeline {

const PipelineTensor* find_tensor(const PipelineSpec& pipeline, std::string_view name) {
    const auto found = std::ranges::find(pipeline.tensors, name, &PipelineTensor::name);
    return found == pipeline.tensors.end() ? nullptr : &*found;
}

TensorSpec device_spec(const PipelineTensor& tensor, std::uint32_t devices) {
    TensorSpec spec = tensor.spec;
    if (tensor.distribution != Distribution::Split) {
        return spec;
    }
    require(tensor.split_axis < spec.shape.size(), "axis {} of {} extents; allowed: 0 to {}",
            tensor.split_axis, spec.shape.size(), spec.shape.size() - 1);
    std::uint32_t& extent = spec.shape[tensor.split_axis];
    require(extent % devices == 0, "axis {} has extent {}, which {} devices do not divide",
            tensor.split_axis, extent, devices);
    extent /= devices;
    if (tensor.drops_axis) {
        require(extent == 1, "axis {} has {} indices a device; one alone can be dropped",
                tensor.split_axis, extent);
        spec.shape.erase(spec.shape.begin() + tensor.split_axis);
    }
    return spec;
}

std::size_t end_of_launch(const PipelineSpec& pipeline, std::size_t first) {
    std::size_t end = first + 1;
    const std::string& launch = pipeline.steps[first].launch;
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

}  // namespace tessera::pipeline
