// SPDX-License-Identifier: Apache-2.0
// What compiling a kernel needs on this machine, and where it lies.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernels/package.hpp"

namespace tessera {

struct KernelToolchain {
    std::filesystem::path compiler;  ///< clang of the version that the plugin was built for, or
                                     ///< empty: kernels in the cache run without
    std::filesystem::path linker;    ///< likewise
    Package package;
    std::string umbrella = "tessera/kernel/kernel.hpp";  ///< included in front of every kernel
    std::vector<std::string> flags;  ///< those of built-in kernels (cmake/TesseraKernels.cmake)

    /// Text that changes when the compiler does; empty without one.
    [[nodiscard]] std::string compiler_identity() const;
    /// Checks that kernels can be compiled.
    /// Errors   UsageError naming the Debian package of a missing tool, a compiler of another
    ///          version, or what makes the compiler plugin unfit (`require_trusted`).
    void require_complete() const;
};

/// Finds the tools on `search_path` ($PATH's form) and the package (`find_package`).
[[nodiscard]] KernelToolchain find_kernel_toolchain(std::string_view search_path);

/// The file a kernel's path means: as given from the working directory, else from the folder that
/// holds Tessera's own ops; nothing if it lies in neither.
[[nodiscard]] std::optional<std::filesystem::path> kernel_file(const std::string& path);

/// The same, where there has to be one.
/// Errors   UsageError naming the places searched.
[[nodiscard]] std::filesystem::path find_kernel_file(const std::string& path);

}  // namespace tessera
