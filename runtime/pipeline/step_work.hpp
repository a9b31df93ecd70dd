// SPDX-License-Identifier: Apache-2.0
// Work of a step: its least work on each of its devices, and the tiles of its outputs. Both follow
// from its operands and the counts on the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/pipeline/check_step.hpp"
#include "tessera/least_work.hpp"

namespace tessera::pipeline {

/// Adds the least work of the step to that of its devices, by number in the mesh.
void add_least_work(const PipelineStep& step, std::span<const StepValues> groups,
                    std::vector<LeastWork>& devices);

/// Returns the tiles of the outputs on all devices.
[[nodiscard]] std::uint64_t output_tiles(const PipelineStep& step,
                                         std::span<const StepValues> groups);

}  // namespace tessera::pipeline
