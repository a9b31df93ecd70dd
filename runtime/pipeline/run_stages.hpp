// SPDX-License-Identifier: Apache-2.0
// Stages and memory groups that a run file's `report:` names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/report/run_stages.hpp"
#include "runtime/steps/pipeline_spec.hpp"

namespace tessera::pipeline {

/// Returns the name of the first group with a pattern for `name`; empty if none matches.
[[nodiscard]] std::string group_of(const std::vector<NamedPatterns>& groups,
                                   const std::string& name);

/// Assigns each launch to the first stage with a pattern that matches its name, and each input
/// tensor to the first memory group. Returns nothing if the run file names no stages.
[[nodiscard]] std::optional<report::RunStages> run_stages(const PipelineSpec& pipeline,
                                                          std::uint32_t devices);

}  // namespace tessera::pipeline
