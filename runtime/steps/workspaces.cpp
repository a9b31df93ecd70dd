// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/workspaces.hpp"

#include <algorithm>
#include <map>

#include "emu/dram/tensor_buffer.hpp"
#include "emu/tile/format/integer.hpp"
#include "tessera/page_address.hpp"

namespace tessera::pipeline {
namespace {

/// Returns whether a step reads or overwrites the tensor: both need its memory.
bool is_used_from(const PipelineSpec& pipeline, const std::string& tensor, std::size_t first) {
    const auto begin = pipeline.steps.begin() + static_cast<std::ptrdiff_t>(first);
    return is_read_from(pipeline, tensor, first) ||
           std::any_of(begin, pipeline.steps.end(), [&](const PipelineStep& step) {
               return std::ranges::find(step.outputs, tensor, &StepOutput::name) !=
                      step.outputs.end();
           });
}

/// Returns the end of the last launch that reads the tensor or overwrites it; `end` if none does.
/// Uses ends of launches, because steps of one launch run at the same time.
std::size_t end_of_use(const PipelineSpec& pipeline, const std::string& tensor, std::size_t end) {
    while (end < pipeline.steps.size() && is_used_from(pipeline, tensor, end)) {
        end = end_of_launch(pipeline, end);
    }
    return end;
}

/// Half-open range of the steps of one launch.
struct LaunchSteps {
    std::size_t first;
    std::size_t end;
};

/// Adds an output to its workspace, unless it has none or an earlier step wrote the same tensor.
void add_output(const PipelineSpec& pipeline, const LaunchSteps& launch, const StepOutput& made,
                const TensorSpec& spec, const ArchSpec& arch, std::vector<Workspace>& workspaces) {
    if (made.workspace.empty()) {
        return;
    }
    auto workspace = std::ranges::find(workspaces, made.workspace, &Workspace::name);
    if (workspace == workspaces.end()) {
        // Allocated before the launch of the first writer, with all other outputs of that launch.
        workspaces.push_back({.name = made.workspace, .first_step = launch.first});
        workspace = workspaces.end() - 1;
    }
    auto& tensors = workspace->tensors;
    if (std::ranges::find(tensors, made.name, &WorkspaceTensor::name) != tensors.end()) {
        return;  // an in-place output keeps the offset of its first writer
    }
    const Buffer buffer = interleaved_buffer(arch, 0, spec, BufferType::DRAM);
    tensors.push_back({.name = made.name,
                       .bytes = PageMap(buffer, make_bank_layout(arch)).bytes_per_bank(),
                       .first_step = launch.first,
                       .end_step = end_of_use(pipeline, made.name, launch.end)});
    workspace->end_step = std::max(workspace->end_step, tensors.back().end_step);
}

/// Lifetimes are half-open ranges of steps.
bool are_needed_together(const WorkspaceTensor& a, const WorkspaceTensor& b) {
    return a.first_step < b.end_step && b.first_step < a.end_step;
}

/// Returns the lowest offset that no placed tensor holds while this one is needed.
std::uint64_t lowest_place(const std::vector<WorkspaceTensor*>& placed,
                           const WorkspaceTensor& tensor) {
    // Only tensors whose lifetime overlaps are obstacles.
    std::vector<const WorkspaceTensor*> beside;
    std::ranges::copy_if(placed, std::back_inserter(beside), [&](const WorkspaceTensor* other) {
        return are_needed_together(*other, tensor);
    });
    std::ranges::sort(beside, {}, &WorkspaceTensor::offset);
    std::uint64_t offset = 0;
    for (const WorkspaceTensor* other : beside) {
        // The lowest gap that is large enough keeps the workspace small.
        if (offset + tensor.bytes <= other->offset) {
            break;
        }
        offset = std::max(offset, other->offset + other->bytes);
    }
    return offset;
}

void place_tensors(Workspace& workspace) {
    // Largest first is the usual heuristic for this packing problem, which is NP-hard: a small
    // tensor fits into a gap between large ones, but not vice versa. Stable, so that the plan is
    // the same with every standard library.
    std::vector<WorkspaceTensor*> by_size;
    for (WorkspaceTensor& tensor : workspace.tensors) {
        by_size.push_back(&tensor);
    }
    std::ranges::stable_sort(by_size, std::greater<>(), &WorkspaceTensor::bytes);
    std::vector<WorkspaceTensor*> placed;
    for (WorkspaceTensor* tensor : by_size) {
        tensor->offset = lowest_place(placed, *tensor);
        workspace.bytes = std::max(workspace.bytes, tensor->offset + tensor->bytes);
        placed.push_back(tensor);
    }
}

}  // namespace

std::vector<Workspace> plan_workspaces(const PipelineSpec& pipeline, const ArchSpec& arch) {
    std::vector<Workspace> workspaces;
    LaunchSteps launch{0, 0};
    for (std::size_t number = 0; number < pipeline.steps.size(); ++number) {
        if (number == launch.end) {
            launch = {number, end_of_launch(pipeline, number)};
        }
        const PipelineStep& step = pipeline.steps[number];
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            add_output(pipeline, launch, step.outputs[i], step.output_plans[i].spec, arch,
                       workspaces);
        }
    }
    for (Workspace& workspace : workspaces) {
        place_tensors(workspace);
    }
    return workspaces;
}

// A timing-only run moves only integers, which control kernels. A workspace holds tensors of one
// kind only, and at present these are the tensors without integers.
std::optional<std::string> workspace_refusal(const ops::TensorPlan& plan) {
    if (plan.layout != TensorMemoryLayout::INTERLEAVED || plan.memory != BufferType::DRAM) {
        return "must be interleaved in DRAM to be in a workspace";
    }
    if (tile::is_integer_format(plan.spec.format)) {
        return std::string("is ") + std::string(name_of(plan.spec.format)) +
               "; allowed in a workspace: formats that are not integers";
    }
    return std::nullopt;
}

WorkspacePlace place_in_workspace(const PipelineSpec& pipeline, std::string_view tensor) {
    for (const Workspace& workspace : pipeline.workspaces) {
        const auto found = std::ranges::find(workspace.tensors, tensor, &WorkspaceTensor::name);
        if (found != workspace.tensors.end()) {
            return {&workspace, &*found};
        }
    }
    return {};
}

TensorSpec spec_of(const Workspace& workspace, const ArchSpec& arch) {
    // One row for each bank, so that an interleaved tensor has the planned bytes in each of them.
    constexpr std::uint64_t kElement = 2;  // bytes; the format has no meaning but its size
    return {{arch.dram.num_banks,
             static_cast<std::uint32_t>((workspace.bytes + kElement - 1) / kElement)},
            DataFormat::Float16_b,
            Layout::ROW_MAJOR};
}

}  // namespace tessera::pipeline
