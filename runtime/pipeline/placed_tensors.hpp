// SPDX-License-Identifier: Apache-2.0
// The tensors of a run on its devices: where each lies, from when until when.
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

/// The operands of one step on one group, operand by operand, device by device.
struct PlacedStep {
    std::vector<std::vector<DeviceTensor>> inputs;
    std::vector<std::vector<DeviceTensor>> outputs;  ///< workspaces behind
    /// Of the inputs that the op's host side reads; empty vectors for the others.
    std::vector<std::vector<HostTensor>> host_inputs;
};

class PlacedTensors {
public:
    /// Session and pipeline outlive the object. `unwritten` is what tensors in workspaces hold,
    /// whose memory the session does not know to be anew.
    PlacedTensors(Session& session, const PipelineSpec& pipeline, std::uint32_t num_devices,
                  UnwrittenMemory unwritten);

    /// Allocates a tensor that no step makes on every device, as the step that takes it first has
    /// it lie; nothing if none does. Returns its replicas.
    std::vector<DeviceTensor> place(const PipelineTensor& tensor);
    /// Writes its values to where it was placed.
    void write(const PipelineTensor& tensor, std::span<const DeviceTensor> replicas,
               const TensorValues& values);

    /// Allocates what a step writes that is not there yet, and its workspaces.
    /// Errors   UsageError if it does not fit.
    [[nodiscard]] PlacedStep place_step(const PipelineStep& step,
                                        std::span<const std::uint32_t> group);
    void free_workspaces(std::span<const PlacedStep> groups, const PipelineStep& step);
    /// Frees what no step from `next_step` on reads and no later run needs.
    void free_unused_after(std::size_t next_step);

    [[nodiscard]] bool contains(std::uint32_t device, std::string_view name) const;
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
