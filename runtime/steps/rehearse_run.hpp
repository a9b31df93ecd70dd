// SPDX-License-Identifier: Apache-2.0
// Allocates a run's tensors and builds its programs without a device, in the order in which the run
// will, so that what does not fit is known before anything runs.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::pipeline {

/// Why a planned pipeline cannot run, and what asks for it.
struct Obstacle {
    const PipelineTensor* tensor = nullptr;  ///< one that no step makes, or null
    const PipelineStep* step = nullptr;      ///< else the step
    std::string text;
};

struct Rehearsal {
    std::optional<Obstacle> obstacle;  ///< the first
    std::set<std::string> kernels;     ///< sources of all programs up to the obstacle
};

/// Rehearses the planned pipeline. Obstacles are tensors that do not fit in DRAM or L1 beside what
/// is allocated by then, programs that an op cannot build, cores outside the grid or used by two
/// steps of a launch, circular buffers that do not fit in L1, and kernels without a source.
/// What the host reads back of a step's results is unknown: programs are built as for full counts.
[[nodiscard]] Rehearsal rehearse_run(const PipelineSpec& pipeline, const ArchSpec& arch,
                                     const MeshSpec& mesh);

}  // namespace tessera::pipeline
