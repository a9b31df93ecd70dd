// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/kernel_lookup.hpp"

#include <fmt/format.h>

#include <string>

#include "runtime/kernels/builtin_table.hpp"
#include "runtime/kernels/jit.hpp"
#include "runtime/launch/cb_formats.hpp"

namespace tessera {
namespace {

// The kernel's view of the program's circular buffers, as constants.
std::string format_table(const CbFormats& formats) {
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
                           .prologue = format_table(cb_formats_of(program, kernel))});
}

}  // namespace tessera
