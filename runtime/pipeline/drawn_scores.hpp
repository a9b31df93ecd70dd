// SPDX-License-Identifier: Apache-2.0
// Floating-point tensors that steer kernels, such as scores of a router, in runs that compute no
// values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/pipeline/placed_tensors.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::pipeline {

/// Returns the tensors with floating-point values that change what kernels do (ops::Steers). A
/// timing-only run must move them.
[[nodiscard]] std::vector<std::string> steering_tensors(const PipelineSpec& pipeline);

/// Returns the tensors that draw_scores() writes in a run of the pipeline, in the order of its steps.
[[nodiscard]] std::vector<std::string> drawn_tensors(const PipelineSpec& pipeline);

/// Writes drawn values over the outputs of a step that are in `steering`. Without maths the step
/// has written bytes that earlier kernels left in L1, and predicted times would depend on them.
/// Values are functions of the pipeline's seed and the tensor's name, the same on each device.
/// Returns the names of the tensors.
std::vector<std::string> draw_scores(const PipelineSpec& pipeline, const PipelineStep& step,
                                     std::span<const std::string> steering,
                                     const PlacedTensors& tensors, Session& session);

}  // namespace tessera::pipeline
