// SPDX-License-Identifier: Apache-2.0
// Allocates a run's tensors and builds its programs without a device, in the order of the run.
// Everything that does not fit is then known before the first kernel.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::pipeline {

/// Reason why a planned pipeline cannot run, and the tensor or step that it belongs to.
struct Obstacle {
    const PipelineTensor* tensor = nullptr;  ///< an input tensor, or null
    const PipelineStep* step = nullptr;      ///< the step, if `tensor` is null
    std::string text;
};

/// Result of a rehearsal.
struct Rehearsal {
    std::optional<Obstacle> obstacle;  ///< the first
    std::set<std::string> kernels;     ///< sources of all programs up to the obstacle
};

/// Rehearses the planned pipeline up to its first obstacle. Obstacles are:
///   - tensors that do not fit in DRAM or L1 beside the tensors allocated at that time;
///   - programs that an op cannot build;
///   - cores outside the grid, or used by two steps of a launch;
///   - circular buffers that do not fit in L1;
///   - kernels without a source.
/// Counts that the host reads back from a step are unknown; programs are built with zeros for them.
[[nodiscard]] Rehearsal rehearse_run(const PipelineSpec& pipeline, const ArchSpec& arch,
                                     const MeshSpec& mesh);

}  // namespace tessera::pipeline
