// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <utility>

#include "tessera/errors.hpp"
#include "tessera/program.hpp"

namespace tessera {
namespace {

// Unique plus common words of one kernel on one core.  Source: tt-metal #23836 (2025-07-28).
constexpr std::size_t kMaxArgs = 341;

KernelDescription& kernel_of(Program& program, KernelHandle handle, const char* function) {
    require(handle < program.kernels.size(),
            "{}: kernel handle {} is not of this program, which has {} kernels", function, handle,
            program.kernels.size());
    return program.kernels[handle];
}

void require_fitting(const KernelDescription& kernel, const char* function, std::size_t unique,
                     std::size_t common) {
    require(unique + common <= kMaxArgs,
            "{}: {}: {} unique and {} common arguments make {} words; at most {} are allowed",
            function, kernel.source, unique, common, unique + common, kMaxArgs);
}

void require_same_count(const KernelDescription& kernel, CoreCoord core, std::size_t count) {
    const auto earlier = kernel.runtime_args.find(core);
    require(earlier == kernel.runtime_args.end() || earlier->second.size() == count,
            "SetRuntimeArgs: {}: core {} got {} arguments before and {} now; the number may not "
            "change",
            kernel.source, core, earlier == kernel.runtime_args.end() ? 0 : earlier->second.size(),
            count);
}

}  // namespace

void SetRuntimeArgs(Program& program, KernelHandle handle, const CoreSpec& spec,
                    std::vector<std::uint32_t> args) {
    KernelDescription& kernel = kernel_of(program, handle, "SetRuntimeArgs");
    require_fitting(kernel, "SetRuntimeArgs", args.size(), kernel.common_args.size());
    const std::vector<CoreCoord> cores = to_core_range_set(spec).cores();
    for (const CoreCoord& core : cores) {
        require(kernel.cores.contains(core), "SetRuntimeArgs: {}: the kernel is not on core {}",
                kernel.source, core);
        require_same_count(kernel, core, args.size());
    }
    if (cores.empty()) {
        return;
    }
    for (const CoreCoord& core : std::span(cores).first(cores.size() - 1)) {
        kernel.runtime_args[core] = args;
    }
    kernel.runtime_args[cores.back()] = std::move(args);
}

void SetCommonRuntimeArgs(Program& program, KernelHandle handle, std::vector<std::uint32_t> args) {
    KernelDescription& kernel = kernel_of(program, handle, "SetCommonRuntimeArgs");
    require(kernel.common_args.empty(),
            "SetCommonRuntimeArgs: {}: common arguments are already set ({} words); they are set "
            "once per kernel",
            kernel.source, kernel.common_args.size());
    std::size_t most_unique = 0;
    for (const auto& [core, unique] : kernel.runtime_args) {
        most_unique = std::max(most_unique, unique.size());
    }
    require_fitting(kernel, "SetCommonRuntimeArgs", most_unique, args.size());
    kernel.common_args = std::move(args);
}

}  // namespace tessera
