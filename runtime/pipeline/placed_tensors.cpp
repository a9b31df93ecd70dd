// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/placed_tensors.hpp"

#include <algorithm>

#include "emu/dram/tensor_buffer.hpp"
#include "runtime/pipeline/raw_pages.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {

PlacedTensors::PlacedTensors(Session& session, const PipelineSpec& pipeline,
                             std::uint32_t num_devices, UnwrittenMemory unwritten)
    : session_(session),
      pipeline_(pipeline),
      unwritten_(unwritten),
      devices_(num_devices),
      workspaces_(num_devices) {
}

DeviceTensor PlacedTensors::allocate(std::uint32_t device, const std::string& name,
                                     const ops::TensorPlan& plan) {
    const WorkspacePlace place = place_in_workspace(pipeline_, name);
    if (place.workspace != nullptr) {
        return place_in(device, place, plan);
    }
    // Sharded buffers need the shard spec, which a plan has if its layout is sharded.
    return plan.layout == TensorMemoryLayout::INTERLEAVED
               ? session_.allocate(device, name, plan.spec, plan.memory)
               : session_.allocate_sharded(device, name, plan.spec, plan.memory, plan.layout,
                                           *plan.shard);
}

DeviceTensor PlacedTensors::place_in(std::uint32_t device, const WorkspacePlace& place,
                                     const ops::TensorPlan& plan) {
    const Workspace& workspace = *place.workspace;
    auto& held = workspaces_[device];
    if (!held.contains(workspace.name)) {
        held.emplace(workspace.name, session_.allocate(device, workspace.name,
                                                       spec_of(workspace, session_.arch())));
    }
    DeviceTensor tensor{plan.spec,
                        interleaved_buffer(session_.arch(), device, plan.spec, BufferType::DRAM)};
    tensor.buffer.address =
        held.at(workspace.name).buffer.address + static_cast<std::uint32_t>(place.tensor->offset);
    // The workspace was filled when it was allocated. By now it holds another tensor's values,
    // which would hide a kernel that reads unwritten memory.
    if (unwritten_ == UnwrittenMemory::Nan) {
        session_.fill(tensor, std::byte{0xFF});
    }
    return tensor;
}

std::vector<DeviceTensor> PlacedTensors::place(const PipelineTensor& tensor) {
    std::vector<DeviceTensor> replicas;
    const ops::TensorPlan* plan = plan_of_input(pipeline_, tensor.name);
    // A tensor that no step reads has no plan and takes no memory.
    for (std::uint32_t device = 0; plan != nullptr && device < num_devices(); ++device) {
        replicas.push_back(allocate(device, tensor.name, *plan));
        devices_[device].insert_or_assign(tensor.name, replicas.back());
    }
    return replicas;
}

void PlacedTensors::write(const PipelineTensor& tensor, std::span<const DeviceTensor> replicas,
                          const TensorValues& values) {
    if (replicas.empty()) {
        return;
    }
    if (values.is_packed(tensor)) {
        for (std::uint32_t device = 0; device < replicas.size(); ++device) {
            session_.write(raw_pages(replicas[device]), values.pages(tensor, device));
        }
        return;
    }
    const bool is_interleaved =
        plan_of_input(pipeline_, tensor.name)->layout == TensorMemoryLayout::INTERLEAVED;
    // Replicas share their host pages until one of them is written: weights of 32 devices need the
    // memory of one. Shards have no such path.
    if (tensor.distribution == Distribution::Replicated && is_interleaved) {
        session_.write_replicated(replicas, values.on(tensor, 0));
        return;
    }
    for (std::uint32_t device = 0; device < replicas.size(); ++device) {
        session_.write(replicas[device], values.on(tensor, device));
    }
}

PlacedStep PlacedTensors::place_step(const PipelineStep& step,
                                     std::span<const std::uint32_t> group) {
    PlacedStep placed;
    for (const std::string& name : step.inputs) {
        auto& operand = placed.inputs.emplace_back();
        // An omitted operand keeps its place, without tensors.
        for (std::size_t i = 0; i < group.size() && !name.empty(); ++i) {
            operand.push_back(on(group[i], name));
        }
    }
    // An op addresses its workspaces as further outputs.
    placed.outputs.resize(step.outputs.size() + step.workspace_plans.size());
    for (const std::uint32_t device : group) {
        place_outputs(step, device, placed);
    }
    read_host_inputs(step, placed);
    return placed;
}

// An output that exists already is overwritten: in place, or by a second writer.
void PlacedTensors::place_outputs(const PipelineStep& step, std::uint32_t device,
                                  PlacedStep& placed) {
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        const std::string& name = step.outputs[i].name;
        if (!contains(device, name)) {
            devices_[device].emplace(name, allocate(device, name, step.output_plans[i]));
        }
        placed.outputs[i].push_back(on(device, name));
    }
    for (std::size_t i = 0; i < step.workspace_plans.size(); ++i) {
        // Workspaces of an op live as long as its launch (free_workspaces).
        placed.outputs[step.outputs.size() + i].push_back(
            allocate(device, workspace_name(step, i), step.workspace_plans[i]));
    }
}

// Reads only inputs whose values the host side of the op needs; each is a round trip.
void PlacedTensors::read_host_inputs(const PipelineStep& step, PlacedStep& placed) const {
    placed.host_inputs.resize(step.inputs.size());
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        if (is_read_back(step, i)) {
            for (const DeviceTensor& tensor : placed.inputs[i]) {
                placed.host_inputs[i].push_back(session_.read(tensor));
            }
        }
    }
}

void PlacedTensors::free_workspaces(std::span<const PlacedStep> groups, const PipelineStep& step) {
    for (const PlacedStep& placed : groups) {
        for (std::size_t i = step.outputs.size(); i < placed.outputs.size(); ++i) {
            for (const DeviceTensor& tensor : placed.outputs[i]) {
                session_.deallocate(tensor);
            }
        }
    }
}

void PlacedTensors::free_unused_after(std::size_t next_step) {
    for (auto& tensors : devices_) {
        std::erase_if(tensors, [&](const auto& entry) {
            const auto& [name, tensor] = entry;
            const bool is_unused =
                !is_read_from(pipeline_, name, next_step) && !outlives_the_run(pipeline_, name);
            // A workspace's memory is freed as a whole, below.
            if (is_unused && place_in_workspace(pipeline_, name).workspace == nullptr) {
                session_.deallocate(tensor);
            }
            return is_unused;
        });
    }
    for (auto& held : workspaces_) {
        std::erase_if(held, [&](const auto& entry) {
            const auto found =
                std::ranges::find(pipeline_.workspaces, entry.first, &Workspace::name);
            // Tensors share the memory of a workspace, so it is needed until the last of them ends.
            const bool is_unused = found->end_step <= next_step;
            if (is_unused) {
                session_.deallocate(entry.second);
            }
            return is_unused;
        });
    }
}

bool PlacedTensors::contains(std::uint32_t device, std::string_view name) const {
    return devices_[device].contains(name);
}

const DeviceTensor& PlacedTensors::on(std::uint32_t device, std::string_view name) const {
    const auto found = devices_[device].find(name);
    ensure(found != devices_[device].end(), "{} is not on device {}", name, device);
    return found->second;
}

}  // namespace tessera::pipeline
