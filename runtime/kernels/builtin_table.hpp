// SPDX-License-Identifier: Apache-2.0
// The kernels that were compiled with the project: `tessera_kernels()` in a CMakeLists.txt adds
// one.
#pragma once

#include <span>
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
/// when a program gives it defines or named compile-time arguments, which change its text.
[[nodiscard]] const BuiltinKernel* find_builtin(std::string_view source) noexcept;

}  // namespace tessera
