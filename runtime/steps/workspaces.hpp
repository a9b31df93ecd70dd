// SPDX-License-Identifier: Apache-2.0
// Workspaces: memory that outputs of several steps share, each while it is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::pipeline {

/// Returns the plans the workspaces that the outputs of planned steps name, the same on every
/// device. Tensors that are needed at the same time do not overlap. The largest tensors are placed
/// first, each at the lowest free offset.
[[nodiscard]] std::vector<Workspace> plan_workspaces(const PipelineSpec& pipeline,
                                                     const ArchSpec& arch);

/// Returns why a workspace cannot hold an output; nothing if it can.
[[nodiscard]] std::optional<std::string> workspace_refusal(const ops::TensorPlan& plan);

/// Workspace of a tensor, with the tensor's offset; null for a tensor with memory of its own.
struct WorkspacePlace {
    const Workspace* workspace = nullptr;
    const WorkspaceTensor* tensor = nullptr;
};
/// Returns the place of a tensor in a workspace.
[[nodiscard]] WorkspacePlace place_in_workspace(const PipelineSpec& pipeline,
                                                std::string_view tensor);

/// Returns the workspace as a tensor of its bytes in each bank of DRAM.
[[nodiscard]] TensorSpec spec_of(const Workspace& workspace, const ArchSpec& arch);

}  // namespace tessera::pipeline
