// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/place_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <variant>

#include "emu/core/compute_state.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/device.hpp"
#include "runtime/kernels/builtin_table.hpp"
#include "runtime/kernels/chip_defines.hpp"
#include "runtime/kernels/jit.hpp"
#include "runtime/launch/cb_tiles.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

// Returns the program's circular buffers as constants of the kernel.
std::string tile_table(const CbTiles& cb_tiles) {
    std::string formats = "#define TESSERA_CB_FORMATS ";
    std::string tiles = "#define TESSERA_CB_TILES ";
    for (const auto& [format, tile] : cb_tiles) {
        formats += fmt::format("{}, ", static_cast<unsigned>(format));
        tiles += fmt::format("{}, ", tile.code());
    }
    return formats + "\n" + tiles + "\n";
}

Defines all_defines(const KernelDescription& kernel, const ArchSpec& arch) {
    Defines defines = kernel.defines();
    add_chip_defines(arch, defines);
    if (const auto* compute = std::get_if<ComputeConfig>(&kernel.config)) {
        add_compute_defines(*compute, defines);
    }
    return defines;
}

// A constant of compute kernels and no macro: kernels ask whether the macro is defined.
std::string dst_width(const KernelDescription& kernel) {
    const auto* compute = std::get_if<ComputeConfig>(&kernel.config);
    if (compute == nullptr || kernel.defines().contains("DST_ACCUM_MODE")) {
        return "";
    }
    return fmt::format("constexpr bool DST_ACCUM_MODE = {};\n", compute->fp32_dest_acc_en);
}

// The NoC of a data-movement kernel's calls that name none.
std::string noc_number(const KernelDescription& kernel) {
    const auto* movement = std::get_if<DataMovementConfig>(&kernel.config);
    if (movement == nullptr || kernel.defines().contains("NOC_INDEX")) {
        return "";
    }
    return fmt::format("#define NOC_INDEX {}\n", static_cast<unsigned>(movement->noc));
}

/// Returns the compiled kernel. Kernels are compiled with the macros of the chip's own build
/// (runtime/kernels/chip_defines.hpp). Compute kernels get the constant DST_ACCUM_MODE.
/// Errors   UsageError if the source does not exist or does not compile, with the compiler's first
///          errors.
CompiledKernel look_up_kernel(const Program& program, const KernelDescription& kernel,
                              const ArchSpec& arch) {
    if (kernel.text.empty() && kernel.defines().empty()) {
        const BuiltinKernel* builtin = find_builtin(kernel.source);
        if (builtin != nullptr && !is_edited(*builtin)) {
            return *builtin->kernel;
        }
    }
    return compile_kernel({.path = kernel.source,
                           .text = kernel.text,
                           .processor = kernel.processor(),
                           .compile_args = kernel.compile_args(),
                           .named_compile_args = kernel.named_compile_args(),
                           .defines = all_defines(kernel, arch),
                           .prologue = tile_table(cb_tiles_of(program, kernel)) +
                                       dst_width(kernel) + noc_number(kernel),
                           .include_folders = program.include_folders});
}

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
    thread->chip_rules = modes.rules;
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

std::vector<CompiledKernel> look_up_kernels(const Program& program, const ArchSpec& arch,
                                            const ForEachIndex& for_each) {
    std::vector<CompiledKernel> compiled(program.kernels.size());
    for_each(compiled.size(), [&](std::size_t i) {
        compiled[i] = look_up_kernel(program, program.kernels[i], arch);
    });
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
