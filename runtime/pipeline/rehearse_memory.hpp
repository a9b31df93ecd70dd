// SPDX-License-Identifier: Apache-2.0
// Allocates a run's tensors without a device, in the order in which the run will.
#pragma once

#include <optional>
#include <string>

#include "runtime/pipeline/pipeline_spec.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::pipeline {

/// What does not fit, and what asked for it.
struct MemoryShortage {
    const PipelineTensor* tensor = nullptr;  ///< one that no step makes, or null
    const PipelineStep* step = nullptr;      ///< else the step whose output or workspace it is
    std::string text;                        ///< memory, holder, bytes missing, largest holders
};

/// The first tensor of the planned pipeline that does not fit in DRAM or L1 of a device beside what
/// lies there by then. Circular buffers are not counted: they are an op's own rule.
[[nodiscard]] std::optional<MemoryShortage> memory_shortage(const PipelineSpec& pipeline,
                                                            const ArchSpec& arch,
                                                            std::uint32_t num_devices);

}  // namespace tessera::pipeline
