// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/kernel_lookup.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "runtime/kernels/builtin_table.hpp"
#include "runtime/kernels/jit.hpp"

namespace tessera {
namespace {

// Largest number of circular buffer indices of any architecture.
constexpr std::size_t kNumIndices = 64;

bool share_a_core(const CoreRangeSet& a, const CoreRangeSet& b) {
    for (const CoreCoord core : a.cores()) {
        if (b.contains(core)) {
            return true;
        }
    }
    return false;
}

// The kernel's view of the program's circular buffers, as constants.
std::string format_table(const Program& program, const KernelDescription& kernel) {
    std::array<DataFormat, kNumIndices> formats;
    formats.fill(DataFormat::Invalid);
    for (const auto& [cores, config] : program.circular_buffers) {
        if (share_a_core(cores, kernel.cores)) {
            for (const auto& [index, format] : config.formats) {
                formats.at(index) = format;
            }
        }
    }
    std::string text = "#define TESSERA_CB_FORMATS ";
    for (const DataFormat format : formats) {
        text += fmt::format("{}, ", static_cast<unsigned>(format));
    }
    return text + "\n";
}

}  // namespace

CompiledKernel look_up_kernel(const Program& program, const KernelDescription& kernel) {
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
                           .defines = kernel.defines(),
                           .prologue = format_table(program, kernel)});
}

}  // namespace tessera
