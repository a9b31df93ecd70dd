// SPDX-License-Identifier: Apache-2.0
// Memory that outputs of several steps share, each while it is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::pipeline {

/// Plans the workspaces that the outputs of planned steps name, the same on every device. Of two
/// tensors that are needed at one time neither touches the other; the largest are placed first,
/// each as far down as it can be.
[[nodiscard]] std::vector<Workspace> plan_workspaces(const PipelineSpec& pipeline,
                                                     const ArchSpec& arch);

/// Why an output cannot lie in a workspace; nothing if it can.
[[nodiscard]] std::optional<std::string> workspace_refusal(const ops::TensorPlan& plan);

/// The workspace that a tensor lies in, with its place there; null if it has memory of its own.
struct WorkspacePlace {
    const Workspace* workspace = nullptr;
    const WorkspaceTensor* tensor = nullptr;
};
[[nodiscard]] WorkspacePlace place_in_workspace(const PipelineSpec& pipeline,
                                                std::string_view tensor);

/// The workspace as a tensor: its bytes in each bank of DRAM.
[[nodiscard]] TensorSpec spec_of(const Workspace& workspace, const ArchSpec& arch);

}  // namespace tessera::pipeline
