// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/place_kernels.hpp"

#include <cstring>
#include <variant>

#include "emu/core/compute_state.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/device.hpp"
#include "runtime/launch/cb_tiles.hpp"
#include "runtime/launch/kernel_lookup.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

// Writes the arguments of each processor to its slot of the reserved area: arguments of the core
// first, then common ones.
void place_arguments(const KernelDescription& kernel, Core& core, KernelThread& thread) {
    const L1Spec& l1 = core.arch().l1;
    const std::uint64_t slot = std::uint64_t{4} * l1.max_runtime_args;
    thread.args_address = static_cast<std::uint32_t>(
        l1.runtime_args.value + static_cast<std::uint64_t>(thread.processor()) * slot);
    if (const auto it = kernel.runtime_args.find(core.logical());
        it != kernel.runtime_args.end() && !it->second.empty()) {
        thread.num_args = static_cast<std::uint32_t>(it->second.size());
        std::memcpy(core.l1(thread.args_address), it->second.data(), 4 * it->second.size());
    }
    thread.common_args_address = thread.args_address + 4 * thread.num_args;
    thread.num_common_args = static_cast<std::uint32_t>(kernel.common_args.size());
    if (thread.num_common_args != 0) {
        std::memcpy(core.l1(thread.common_args_address), kernel.common_args.data(),
                    4 * kernel.common_args.size());
    }
}

void place_globals(const CompiledKernel& compiled, Core& core, Processor processor) {
    if (compiled.globals_size != 0) {
        std::byte* globals = core.window.commit_kernel_globals(processor, compiled.globals_size);
        std::memcpy(globals, compiled.globals_image, compiled.globals_size);
    }
}

void configure_units(const KernelDescription& kernel, Maths maths, KernelThread& thread) {
    if (const auto* compute = std::get_if<ComputeConfig>(&kernel.config)) {
        thread.compute = std::make_unique<ComputeState>(*compute, thread.core().arch().dst);
        thread.compute->maths = maths;
    } else {
        thread.default_noc = std::get<DataMovementConfig>(kernel.config).noc;
    }
}

std::unique_ptr<KernelThread> make_thread(const KernelDescription& kernel,
                                          const CompiledKernel& compiled, const CbTiles& cb_tiles,
                                          const LaunchModes& modes, Core& core) {
    auto thread = std::make_unique<KernelThread>(core, kernel.processor());
    thread->kernel = kernel.source;
    thread->entry = compiled.entry;
    thread->compile_args = kernel.compile_args();
    thread->named_compile_args = &kernel.named_compile_args();
    thread->relative_origin = kernel.cores.ranges().front().start_coord;
    thread->cb_tiles = cb_tiles;
    thread->delivery = modes.delivery;
    thread->delivery_seed = modes.seed;
    thread->bulk_data = modes.bulk_data;
    thread->progress_limit = modes.progress_limit;
    if (modes.trace == TraceMode::On) {
        const bool counts = kernel.processor() != Processor::Compute;
        thread->recorder =
            std::make_unique<TraceRecorder>(counts ? &thread->instructions : nullptr);
    }
    thread->activity.device = core.device().id();
    thread->activity.core = core.logical();
    configure_units(kernel, modes.maths, *thread);
    place_arguments(kernel, core, *thread);
    place_globals(compiled, core, kernel.processor());
    return thread;
}

}  // namespace

std::vector<CompiledKernel> look_up_kernels(const Program& program, const ArchSpec& arch) {
    std::vector<CompiledKernel> compiled;
    for (const KernelDescription& kernel : program.kernels) {
        compiled.push_back(look_up_kernel(program, kernel, arch));
    }
    return compiled;
}

void place_kernels(const Program& program, std::span<const CompiledKernel> compiled,
                   const LaunchModes& modes, Device& device) {
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
        const KernelDescription& kernel = program.kernels[i];
        const CbTiles cb_tiles = cb_tiles_of(program, kernel);
        for (const CoreCoord logical : kernel.cores.cores()) {
            Core& core = device.core(logical);
            core.threads[static_cast<std::size_t>(kernel.processor())] =
                make_thread(kernel, compiled[i], cb_tiles, modes, core);
        }
    }
}

}  // namespace tessera
