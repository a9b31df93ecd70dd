// SPDX-License-Identifier: Apache-2.0
// The kernels that were compiled with the project: `tessera_kernels()` in a CMakeLists.txt adds
// one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/kernels/compiled_kernel.hpp"

namespace tessera {

struct BuiltinKernel {
    std::string_view source;  ///< relative to the project, "ops/moe_bmm/kernels/reader.cpp"
    const CompiledKernel* kernel;
};

/// All of them, sorted by source.
[[nodiscard]] std::span<const BuiltinKernel> builtin_kernels() noexcept;

/// The kernel compiled from `source`, or null: then it has to be compiled just in time, as it must
/// when a program gives it defines or named compile-time arguments, which change its text, and when
/// its file is_edited.
[[nodiscard]] const BuiltinKernel* find_builtin(std::string_view source) noexcept;

/// True if a file that `kernel` may have been compiled from is no longer what it was: the source
/// itself, or a header of any built-in kernel. The file meant is the one that the name finds
/// (find_kernel_file); where none lies there, nothing differs. Looked at once in a process.
[[nodiscard]] bool is_edited(const BuiltinKernel& kernel);

/// Hash of the text of all built-in kernels and their headers: of the files where they are found,
/// or as they were when the project was built. Which of them a pipeline's programs use, only
/// building these would tell.
[[nodiscard]] std::string kernel_text_hash();

}  // namespace tessera
