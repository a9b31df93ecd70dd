// SPDX-License-Identifier: Apache-2.0
// The block `workspaces:` of a run file.
#include "emu/base/fields/nearest.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using pipeline::PipelineStep;
using pipeline::StepOutput;

/// Names the workspace of an output, in each step that writes it.
/// Errors   UsageError for a tensor that no step makes, or that is in another workspace.
void assign_workspace(pipeline::PipelineSpec& spec, const std::string& tensor,
                      const std::string& workspace) {
    std::vector<std::string> made;
    bool is_made = false;
    for (PipelineStep& step : spec.steps) {
        for (StepOutput& output : step.outputs) {
            made.push_back(output.name);
            if (output.name == tensor) {
                require(output.workspace.empty() || output.workspace == workspace,
                        "{} is already in workspace {}", tensor, output.workspace);
                output.workspace = workspace;
                is_made = true;
            }
        }
    }
    require(is_made, "no step makes {}, {}", tensor, correction(tensor, made));
}

}  // namespace

void bind_workspaces(PipelineBinder& binder, const Node& workspaces) {
    if (workspaces.kind != NodeKind::Map && workspaces.kind != NodeKind::Null) {
        binder.mistake(workspaces, "workspaces",
                       "expected {name: [tensor, …]}, found " + describe(workspaces));
        return;
    }
    // Only names are recorded; offsets are planned when the sizes of all tensors are known.
    for (const Entry& workspace : workspaces.entries) {
        const std::string path = "workspaces." + workspace.key;
        if (workspace.value.kind != NodeKind::Sequence) {
            binder.mistake(workspace.value, path,
                           "expected a list of tensors, found " + describe(workspace.value));
        }
        for (const Node& element : workspace.value.elements) {
            binder.guarded(element, path, [&] {
                const std::string tensor = pipeline::substitute(element.text, binder.scope);
                assign_workspace(binder.spec, tensor, workspace.key);
            });
        }
    }
}

}  // namespace tessera::config
