// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tessera/errors.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostCircularBuffers = 64;  // of any architecture

const char* hardware_name(Processor processor) {
    switch (processor) {
        case Processor::Riscv0:
            return "RISCV_0";
        case Processor::Riscv1:
            return "RISCV_1";
        case Processor::Compute:
            return "compute";
    }
    return "?";
}

const CoreCoord* first_shared_core(const std::vector<CoreCoord>& cores, const CoreRangeSet& set) {
    for (const CoreCoord& core : cores) {
        if (set.contains(core)) {
            return &core;
        }
    }
    return nullptr;
}

void require_free_processor(const KernelDescription& added, const KernelDescription& present,
                            CoreCoord core) {
    require(added.processor() != present.processor(),
            "CreateKernel: {}: core {} already has kernel {} on {}; a core takes one kernel per "
            "processor",
            added.source, core, present.source, hardware_name(added.processor()));
}

// Two movers on one NoC would share its command buffers and counters, and the chip would hang.
void require_own_noc(const KernelDescription& added, const KernelDescription& present,
                     CoreCoord core) {
    const auto* a = std::get_if<DataMovementConfig>(&added.config);
    const auto* b = std::get_if<DataMovementConfig>(&present.config);
    if (a == nullptr || b == nullptr) {
        return;
    }
    require(a->noc != b->noc,
            "CreateKernel: {}: on core {} kernel {} already uses NOC_{}; the two data movement "
            "kernels of a core use different NoCs",
            added.source, core, present.source, static_cast<int>(a->noc));
}

void require_room_in_dst(const KernelDescription& kernel) {
    const auto* config = std::get_if<ComputeConfig>(&kernel.config);
    if (config == nullptr) {
        return;
    }
    const auto& modes = config->unpack_to_dest_mode;
    require(modes.size() <= kMostCircularBuffers,
            "CreateKernel: {}: unpack_to_dest_mode names {} circular buffers; at most {} exist",
            kernel.source, modes.size(), kMostCircularBuffers);
    const auto cb = std::ranges::find(modes, UnpackToDestMode::UnpackToDestFp32);
    require(cb == modes.end() || config->fp32_dest_acc_en,
            "CreateKernel: {}: unpack_to_dest_mode of CB {} is UnpackToDestFp32, which needs "
            "fp32_dest_acc_en",
            kernel.source, cb - modes.begin());
}

KernelHandle add_kernel(Program& program, KernelDescription kernel) {
    require(!kernel.cores.empty(), "CreateKernel: {}: no cores given; give at least 1",
            kernel.source);
    require_room_in_dst(kernel);
    const std::vector<CoreCoord> cores = kernel.cores.cores();
    for (const KernelDescription& present : program.kernels) {
        if (const CoreCoord* core = first_shared_core(cores, present.cores)) {
            require_free_processor(kernel, present, *core);
            require_own_noc(kernel, present, *core);
        }
    }
    program.kernels.push_back(std::move(kernel));
    return static_cast<KernelHandle>(program.kernels.size() - 1);
}

}  // namespace

CoreRangeSet to_core_range_set(const CoreSpec& spec) {
    return std::visit([](const auto& cores) { return CoreRangeSet(cores); }, spec);
}

KernelHandle CreateKernel(Program& program, std::string source, const CoreSpec& cores,
                          KernelConfig config) {
    require(!source.empty(), "CreateKernel: source path is empty; give the path of a kernel file");
    return add_kernel(program, {.source = std::move(source),
                                .text = {},
                                .cores = to_core_range_set(cores),
                                .config = std::move(config),
                                .runtime_args = {},
                                .common_args = {}});
}

KernelHandle CreateKernelFromString(Program& program, std::string text, const CoreSpec& cores,
                                    KernelConfig config, std::string name) {
    require(!text.empty(), "CreateKernelFromString: {}: source text is empty", name);
    return add_kernel(program, {.source = std::move(name),
                                .text = std::move(text),
                                .cores = to_core_range_set(cores),
                                .config = std::move(config),
                                .runtime_args = {},
                                .common_args = {}});
}

}  // namespace tessera
