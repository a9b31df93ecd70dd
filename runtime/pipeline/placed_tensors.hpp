// SPDX-License-Identifier: Apache-2.0
// Tensors of a run on its devices: allocates each before its first use and frees it after its last.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/pipeline/tensor_values.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "runtime/steps/workspaces.hpp"
#include "tessera/session.hpp"

namespace tessera::pipeline {

/// Operands of one step on one group, as [operand][device of the group].
struct PlacedStep {
    std::vector<std::vector<DeviceTensor>> inputs;
    std::vector<std::vector<DeviceTensor>> outputs;  ///< the step's workspaces follow its outputs
    /// Values of the inputs that the op's host side reads; empty vectors for other inputs.
    std::vector<std::vector<HostTensor>> host_inputs;
};

/// Allocates and frees the tensors of a run.
class PlacedTensors {
public:
    /// Session and pipeline must outlive the object. `unwritten` is the initial content of tensors
    /// in workspaces; the session fills memory only at allocation and does not notice their reuse.
    PlacedTensors(Session& session, const PipelineSpec& pipeline, std::uint32_t num_devices,
                  UnwrittenMemory unwritten);

    /// Allocates an input tensor on every device, with the layout that its first reader plans.
    /// Returns the tensor of each device; nothing if no step reads it.
    std::vector<DeviceTensor> place(const PipelineTensor& tensor);
    /// Writes the values of a placed input tensor.
    void write(const PipelineTensor& tensor, std::span<const DeviceTensor> replicas,
               const TensorValues& values);

    /// Allocates the outputs of a step that have no memory yet, and its workspaces.
    /// Errors   UsageError if they do not fit.
    [[nodiscard]] PlacedStep place_step(const PipelineStep& step,
                                        std::span<const std::uint32_t> group);
    /// Frees the step's own workspaces.
    void free_workspaces(std::span<const PlacedStep> groups, const PipelineStep& step);
    /// Frees tensors that no step from `next_step` on reads and no later run needs.
    void free_unused_after(std::size_t next_step);

    [[nodiscard]] bool contains(std::uint32_t device, std::string_view name) const;
    /// Returns a device's tensor.
    /// Precondition   contains().
    [[nodiscard]] const DeviceTensor& on(std::uint32_t device, std::string_view name) const;
    [[nodiscard]] std::uint32_t num_devices() const {
        return static_cast<std::uint32_t>(devices_.size());
    }

private:
    DeviceTensor allocate(std::uint32_t device, const std::string& name,
                          const ops::TensorPlan& plan);
    [[nodiscard]] DeviceTensor place_in(std::uint32_t device, const WorkspacePlace& place,
                                        const ops::TensorPlan& plan);
    void place_outputs(const PipelineStep& step, std::uint32_t device, PlacedStep& placed);
    void read_host_inputs(const PipelineStep& step, PlacedStep& placed) const;

    Session& session_;
    const PipelineSpec& pipeline_;
    UnwrittenMemory unwritten_;
    std::vector<std::map<std::string, DeviceTensor, std::less<>>> devices_;
    std::vector<std::map<std::string, DeviceTensor, std::less<>>> workspaces_;  ///< by device
};

}  // namespace tessera::pipeline
