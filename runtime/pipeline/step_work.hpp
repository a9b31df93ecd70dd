// SPDX-License-Identifier: Apache-2.0
// Least work of a step on each of its devices, from its operands and the counts on the device.
#pragma once

#include <span>
#include <vector>

#include "runtime/pipeline/check_step.hpp"
#include "tessera/least_work.hpp"

namespace tessera::pipeline {

/// Adds the least work of the step to that of its devices, by number in the mesh.
void add_least_work(const PipelineStep& step, std::span<const StepValues> groups,
                    std::vector<LeastWork>& devices);

}  // namespace tessera::pipeline
