// SPDX-License-Identifier: Apache-2.0
// Table of the kernels that were compiled with the project; `tessera_kernels()` in a CMakeLists.txt
// adds a kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/kernels/compiled_kernel.hpp"

namespace tessera {

/// Row of the table.
struct BuiltinKernel {
    std::string_view source;  ///< relative to the project, "ops/moe_bmm/kernels/reader.cpp"
    const CompiledKernel* kernel;
};

/// Returns all built-in kernels, sorted by source.
[[nodiscard]] std::span<const BuiltinKernel> builtin_kernels() noexcept;

/// Returns the kernel compiled from `source`, or null. A kernel is compiled just in time if it is
/// not built in or its file is_edited(). So is a kernel with defines or named compile-time
/// arguments, which change its text.
[[nodiscard]] const BuiltinKernel* find_builtin(std::string_view source) noexcept;

/// Returns whether a file that `kernel` may have been compiled from has changed: the source, or a
/// header of any built-in kernel. The compared file is that of find_kernel_file; a missing file
/// counts as unchanged. Checked once in a process.
[[nodiscard]] bool is_edited(const BuiltinKernel& kernel);

/// Returns the hash of the text of all built-in kernels and their headers: of the current files, or
/// of the files at build time if there are none. The kernels that a pipeline uses are known only
/// after its programs are built, so all are hashed.
[[nodiscard]] std::string kernel_text_hash();

}  // namespace tessera
