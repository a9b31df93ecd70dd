// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "runtime/kernels/compiled_kernel.hpp"

namespace tessera {

/// Loads a shared object of KernelCompiler. It stays loaded, because launches hold addresses in it.
/// Errors   UsageError naming the function if the kernel, called `path` in the message, uses one
///          that this program does not define.
[[nodiscard]] CompiledKernel load_kernel(const std::filesystem::path& shared_object,
                                         const std::string& path);

}  // namespace tessera
