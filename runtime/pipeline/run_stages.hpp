// SPDX-License-Identifier: Apache-2.0
// The stages and the memory that a run file's `report:` names.
#pragma once

#include <optional>

#include "runtime/report/run_stages.hpp"
#include "runtime/steps/pipeline_spec.hpp"

namespace tessera::pipeline {

/// A launch belongs to the first stage of which a pattern is its name, a tensor likewise. Nothing,
/// if the run file names no stages.
[[nodiscard]] std::optional<report::RunStages> run_stages(const PipelineSpec& pipeline,
                                                          std::uint32_t devices);

}  // namespace tessera::pipeline
