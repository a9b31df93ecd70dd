// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/dispatch_trace.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tessera {
namespace {

std::uint32_t size_of(const auto& container) {
    return static_cast<std::uint32_t>(container.size());
}

// Returns the kernels of each core, by index in the program.
std::map<CoreCoord, std::vector<std::size_t>> kernels_by_core(const Program& program) {
    std::map<CoreCoord, std::vector<std::size_t>> by_core;
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
        for (const CoreCoord core : program.kernels[i].cores.cores()) {
            by_core[core].push_back(i);
        }
    }
    return by_core;
}

std::uint32_t most_buffers(const Program& program) {
    std::map<CoreCoord, std::uint32_t> counts;
    std::uint32_t most = 0;
    for (const auto& [cores, config] : program.circular_buffers) {
        for (const CoreCoord core : cores.cores()) {
            most = std::max(most, counts[core] += size_of(config.formats));
        }
    }
    return most;
}

}  // namespace

DispatchTrace dispatch_trace(const DeviceProgram& program) {
    const auto by_core = kernels_by_core(program.program);
    DispatchTrace dispatch{.device = static_cast<std::uint16_t>(program.device),
                           .cores = size_of(by_core),
                           .cbs = most_buffers(program.program),
                           .semaphores = size_of(program.program.semaphores),
                           .host_reads = program.host_reads};
    std::set<std::vector<std::size_t>> groups;
    for (const auto& [core, kernels] : by_core) {
        groups.insert(kernels);
        dispatch.threads += size_of(kernels);
    }
    dispatch.kernels = size_of(groups);
    for (const KernelDescription& kernel : program.program.kernels) {
        dispatch.common_args += size_of(kernel.common_args);
        for (const auto& [core, args] : kernel.runtime_args) {
            dispatch.unique_args += size_of(args);
        }
    }
    return dispatch;
}

}  // namespace tessera
