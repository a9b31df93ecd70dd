// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/rehearse_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "emu/dram/tensor_buffer.hpp"
#include "runtime/pipeline/workspaces.hpp"
#include "tessera/errors.hpp"
#include "tessera/page_address.hpp"

namespace tessera::pipeline {
namespace {

/// The memories of one device; what PlacedTensors does there, it does too.
class RehearsedDevice {
public:
    RehearsedDevice(const ArchSpec& arch, const BankLayout& banks, std::uint32_t device)
        : arch_(arch),
          banks_(banks),
          device_(device),
          dram_(make_allocator(arch, BufferType::DRAM, device)),
          l1_(make_allocator(arch, BufferType::L1, device)) {}

    void place(const std::string& name, const ops::TensorPlan& plan) {
        if (!held_.contains(name)) {
            const std::uint64_t bytes = PageMap(buffer_of(name, plan), banks_).bytes_per_bank();
            held_.emplace(name, Held{plan.memory, allocator(plan.memory).allocate(name, bytes)});
        }
    }
    template <class Predicate>
    void free_if(Predicate is_unused) {
        std::erase_if(held_, [&](const auto& entry) {
            const bool is_freed = is_unused(entry.first);
            if (is_freed) {
                allocator(entry.second.memory).deallocate(entry.second.address);
            }
            return is_freed;
        });
    }

private:
    struct Held {
        BufferType memory;
        std::uint64_t address;
    };
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
    std::map<std::string, Held, std::less<>> held_;
};

bool works_on(const PipelineStep& step, std::uint32_t device) {
    return std::ranges::any_of(step.groups, [&](const auto& group) {
        return std::ranges::find(group, device) != group.end();
    });
}

void place_step(const PipelineSpec& pipeline, const PipelineStep& step, const ArchSpec& arch,
                RehearsedDevice& device) {
    for (std::size_t i = 0; i < step.output_plans.size(); ++i) {
        const Workspace* workspace = place_in_workspace(pipeline, step.outputs[i].name).workspace;
        if (workspace == nullptr) {
            device.place(step.outputs[i].name, step.output_plans[i]);
        } else {
            device.place(workspace->name, {.spec = spec_of(*workspace, arch)});
        }
    }
    for (std::size_t i = 0; i < step.workspace_plans.size(); ++i) {
        device.place(workspace_name(step, i), step.workspace_plans[i]);
    }
}

/// What a run does on one device; `now` says whose memory is being taken.
void rehearse(const PipelineSpec& pipeline, const ArchSpec& arch, std::uint32_t number,
              RehearsedDevice& device, MemoryShortage& now) {
    for (const PipelineTensor& tensor : pipeline.tensors) {
        now.tensor = &tensor;
        if (const ops::TensorPlan* plan = plan_of_input(pipeline, tensor.name)) {
            device.place(tensor.name, *plan);
        }
    }
    now.tensor = nullptr;
    for (std::size_t first = 0; first < pipeline.steps.size();) {
        const std::size_t end = end_of_launch(pipeline, first);
        for (; first < end; ++first) {
            now.step = &pipeline.steps[first];
            if (works_on(*now.step, number)) {
                place_step(pipeline, *now.step, arch, device);
            }
        }
        device.free_if([&](const std::string& name) {
            const auto shared = std::ranges::find(pipeline.workspaces, name, &Workspace::name);
            if (shared != pipeline.workspaces.end()) {
                return shared->end_step <= end;
            }
            return !is_read_from(pipeline, name, end) && !outlives_the_run(pipeline, name);
        });
    }
}

}  // namespace

std::optional<MemoryShortage> memory_shortage(const PipelineSpec& pipeline, const ArchSpec& arch,
                                              std::uint32_t num_devices) {
    const BankLayout banks = make_bank_layout(arch);
    for (std::uint32_t number = 0; number < num_devices; ++number) {
        RehearsedDevice device(arch, banks, number);
        MemoryShortage shortage;
        try {
            rehearse(pipeline, arch, number, device, shortage);
        } catch (const UsageError& error) {
            shortage.text = error.what();
            return shortage;
        }
    }
    return std::nullopt;
}

}  // namespace tessera::pipeline
