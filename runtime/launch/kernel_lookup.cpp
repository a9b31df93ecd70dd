// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/kernel_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <variant>

#include "runtime/kernels/builtin_table.hpp"
#include "runtime/kernels/jit.hpp"
#include "runtime/launch/cb_tiles.hpp"

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

// Adds the macros of the chip's build. Kernels branch on them: matmul's senders flush after a
// multicast on Blackhole only. Defines of the program take precedence.
Defines all_defines(const KernelDescription& kernel, const ArchSpec& arch) {
    Defines defines = kernel.defines();
    std::string name = fmt::format("ARCH_{}", arch.architecture);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    defines.try_emplace(name, "1");
    defines.try_emplace("NOC_MAX_BURST_SIZE", std::to_string(arch.noc.max_packet.value));
    if (const auto* compute = std::get_if<ComputeConfig>(&kernel.config)) {
        defines.try_emplace("DST_ACCUM_MODE", compute->fp32_dest_acc_en ? "true" : "false");
    }
    return defines;
}

}  // namespace

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
                           .prologue = tile_table(cb_tiles_of(program, kernel))});
}

}  // namespace tessera
