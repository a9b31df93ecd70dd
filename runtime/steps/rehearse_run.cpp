// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/rehearse_run.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "emu/dram/tensor_buffer.hpp"
#include "runtime/kernels/builtin_table.hpp"
#include "runtime/kernels/kernel_roots.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "runtime/launch/l1_layout.hpp"
#include "runtime/steps/edit_program.hpp"
#include "runtime/steps/kernel_files.hpp"
#include "runtime/steps/workspaces.hpp"
#include "tessera/errors.hpp"
#include "tessera/page_address.hpp"

namespace tessera::pipeline {
namespace {

/// Memories of one device. Allocates and frees as PlacedTensors does in a run, with the same
/// allocators: a sum of sizes would ignore fragmentation and the alignment of pages.
class RehearsedDevice {
public:
    RehearsedDevice(const ArchSpec& arch, const BankLayout& banks, std::uint32_t device)
        : arch_(arch),
          banks_(banks),
          device_(device),
          dram_(make_allocator(arch, BufferType::DRAM, device)),
          l1_(make_allocator(arch, BufferType::L1, device)) {}

    [[nodiscard]] L1Space l1() const { return {arch_, device_, l1_}; }
    /// Returns the tensor and allocates it at its first use.
    DeviceTensor place(const std::string& name, const ops::TensorPlan& plan) {
        const auto found = held_.find(name);
        if (found != held_.end()) {
            return {plan.spec, found->second};
        }
        Buffer buffer = buffer_of(name, plan);
        buffer.address = static_cast<std::uint32_t>(
            allocator(buffer.type).allocate(name, PageMap(buffer, banks_).bytes_per_bank()));
        return {plan.spec, held_.emplace(name, buffer).first->second};
    }
    /// Returns a tensor at its offset in a workspace, which is allocated at its first use.
    DeviceTensor place_in(const WorkspacePlace& place, const ops::TensorPlan& plan) {
        const Workspace& workspace = *place.workspace;
        const DeviceTensor all = this->place(workspace.name, {.spec = spec_of(workspace, arch_)});
        Buffer buffer = interleaved_buffer(arch_, device_, plan.spec, BufferType::DRAM);
        buffer.address = all.buffer.address + static_cast<std::uint32_t>(place.tensor->offset);
        return {plan.spec, buffer};
    }
    template <class Predicate>
    void free_if(Predicate is_unused) {
        std::erase_if(held_, [&](const auto& entry) {
            const bool is_freed = is_unused(entry.first);
            if (is_freed) {
                allocator(entry.second.type).deallocate(entry.second.address);
            }
            return is_freed;
        });
    }

private:
    BankAllocator& allocator(BufferType memory) { return memory == BufferType::DRAM ? dram_ : l1_; }
    [[nodiscard]] Buffer buffer_of(const std::string& name, const ops::TensorPlan& plan) const {
        return plan.layout == TensorMemoryLayout::INTERLEAVED
                   ? interleaved_buffer(arch_, device_, plan.spec, plan.memory)
                   : sharded_buffer(arch_, device_, name, plan.spec, plan.memory, plan.layout,
                                    *plan.shard);
    }

    const ArchSpec& arch_;
    const BankLayout& banks_;
    std::uint32_t device_;
    BankAllocator dram_;
    BankAllocator l1_;
    std::map<std::string, Buffer, std::less<>> held_;
};

/// Checks that a kernel has a source: a text, a built-in kernel or a file. It is not compiled,
/// which takes 80 to 200 ms a kernel.
void require_source(const Program& program, const KernelDescription& kernel) {
    if (kernel.text.empty() && find_builtin(kernel.source) == nullptr) {
        (void)find_kernel_file(kernel.source, kernel_roots(program.include_folders));
    }
}

/// Rehearsal of a whole run. `now_` is the tensor or step in progress, for the obstacle's position.
class RehearsedRun {
public:
    RehearsedRun(const PipelineSpec& pipeline, const ArchSpec& arch, const MeshSpec& mesh)
        // All devices are rehearsed: groups and `devices` make them hold different tensors.
        : pipeline_(pipeline), arch_(arch), mesh_(mesh), banks_(make_bank_layout(arch)) {
        for (std::uint32_t number = 0; number < mesh.shape.num_devices(); ++number) {
            devices_.emplace_back(arch, banks_, number);
        }
    }

    Rehearsal run() {
        Rehearsal rehearsal;
        try {
            place_tensors();
            for (std::size_t first = 0; first < pipeline_.steps.size();) {
                const std::size_t end = end_of_launch(pipeline_, first);
                launch(first, end);
                free_unused_after(end);
                first = end;
            }
        } catch (const UsageError& error) {
            // Only the first: later tensors would be placed as if this one had fitted.
            rehearsal.obstacle = now_;
            rehearsal.obstacle->text = error.what();
        }
        rehearsal.kernels = std::move(kernels_);
        return rehearsal;
    }

private:
    using Operands = std::vector<std::vector<DeviceTensor>>;  ///< [operand][position]

    void place_tensors() {
        for (const PipelineTensor& tensor : pipeline_.tensors) {
            now_ = {.tensor = &tensor};
            const ops::TensorPlan* plan = plan_of_input(pipeline_, tensor.name);
            for (RehearsedDevice& device : devices_) {
                if (plan != nullptr) {
                    (void)place(device, tensor.name, *plan);
                }
            }
        }
    }
    DeviceTensor place(RehearsedDevice& device, const std::string& name,
                       const ops::TensorPlan& plan) {
        const WorkspacePlace place = place_in_workspace(pipeline_, name);
        return place.workspace == nullptr ? device.place(name, plan) : device.place_in(place, plan);
    }
    Operands place_all(std::span<const std::uint32_t> group, std::span<const std::string> names,
                       std::span<const ops::TensorPlan> plans) {
        Operands operands;
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto& operand = operands.emplace_back();
            for (const std::uint32_t device : group) {
                if (names[i].empty()) {
                    break;  // an omitted optional operand
                }
                operand.push_back(place(devices_[device], names[i], plans[i]));
            }
        }
        return operands;
    }
    /// Returns the values that the host reads before a launch. They are not known yet, and zeros
    /// are valid counts of every op: full counts made moe_bmm with split_by=host refuse its own
    /// run.
    static std::vector<std::vector<HostTensor>> values_read_back(const PipelineStep& step,
                                                                 const Operands& inputs) {
        std::vector<std::vector<HostTensor>> read(step.inputs.size());
        for (std::size_t i = 0; i < read.size(); ++i) {
            if (is_read_back(step, i)) {
                for (const DeviceTensor& tensor : inputs[i]) {
                    read[i].push_back(make_host_tensor(tensor.spec.shape, tensor.spec.format));
                }
            }
        }
        return read;
    }
    std::vector<DeviceProgram> programs_of(const PipelineStep& step,
                                           std::span<const std::uint32_t> group) {
        std::vector<std::string> made;
        std::vector<ops::TensorPlan> plans = step.output_plans;
        for (const StepOutput& output : step.outputs) {
            made.push_back(output.name);
        }
        for (std::size_t i = 0; i < step.workspace_plans.size(); ++i) {
            made.push_back(workspace_name(step, i));
            plans.push_back(step.workspace_plans[i]);
        }
        const Operands outputs = place_all(group, made, plans);
        const Operands inputs = place_all(group, step.inputs, step.input_plans);
        const auto read = values_read_back(step, inputs);
        auto programs = step.op->programs({.arch = arch_,
                                           .mesh = mesh_,
                                           .devices = group,
                                           .parameters = step.parameters.get(),
                                           .inputs = step.input_plans,
                                           .outputs = step.output_plans,
                                           .device_inputs = inputs,
                                           .device_outputs = outputs,
                                           .host_inputs = read});
        for (DeviceProgram& program : programs) {
            // The same edits as in a run, so that the same cores and files are checked.
            move_cores(program.program, step.first_core, arch_, step.name);
            find_kernels(program.program, *step.op, pipeline_);
            check(program);
        }
        return programs;
    }
    void launch(std::size_t first, std::size_t end) {
        // All steps of a launch are in memory together, so nothing is freed between them.
        std::vector<DeviceProgram> programs;
        for (std::size_t i = first; i < end; ++i) {
            const PipelineStep& step = pipeline_.steps[i];
            now_ = {.step = &step};
            for (const auto& group : step.groups) {
                add_programs(programs_of(step, group), programs, step.name);
            }
        }
    }
    void check(const DeviceProgram& program) {
        const L1Space l1 = devices_.at(program.device).l1();
        check_on_grid(program.program, l1);
        // Throws with a table of the core's buffers if they do not fit.
        (void)lay_out_circular_buffers(program.program, l1);
        for (const KernelDescription& kernel : program.program.kernels) {
            // One look at each file: 256 devices have the same kernels.
            if (kernels_.insert(kernel.source).second) {
                require_source(program.program, kernel);
            }
        }
    }
    void free_unused_after(std::size_t end) {
        for (RehearsedDevice& device : devices_) {
            device.free_if([&](const std::string& name) {
                // A workspace has no readers of its own; its plan says when its last tensor is
                // used.
                const auto shared = std::ranges::find(pipeline_.workspaces, name, &Workspace::name);
                if (shared != pipeline_.workspaces.end()) {
                    return shared->end_step <= end;
                }
                return !is_read_from(pipeline_, name, end) && !outlives_the_run(pipeline_, name);
            });
        }
    }

    const PipelineSpec& pipeline_;
    const ArchSpec& arch_;
    const MeshSpec& mesh_;
    BankLayout banks_;
    std::vector<RehearsedDevice> devices_;
    std::set<std::string> kernels_;
    Obstacle now_;
};

}  // namespace

Rehearsal rehearse_run(const PipelineSpec& pipeline, const ArchSpec& arch, const MeshSpec& mesh) {
    return RehearsedRun(pipeline, arch, mesh).run();
}

}  // namespace tessera::pipeline
