// SPDX-License-Identifier: Apache-2.0
// Tools and files that are needed to compile a kernel, with their paths on this host.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernels/package.hpp"

namespace tessera {

/// Tools and flags of kernels.
struct KernelToolchain {
    std::filesystem::path compiler;  ///< clang of the version that the plugin was built for;
                                     ///< empty if missing: cached kernels run without it
    std::filesystem::path linker;    ///< empty if missing
    Package package;
    std::string umbrella = "tessera/kernel/kernel.hpp";  ///< included before every kernel
    std::vector<std::string> flags;  ///< flags of built-in kernels (cmake/TesseraKernels.cmake)

    /// Returns a text that changes with the compiler; empty without a compiler.
    [[nodiscard]] std::string compiler_identity() const;
    /// Checks that kernels can be compiled.
    /// Errors   UsageError naming the Debian package of a missing tool, a compiler of another
    ///          version, or the reason why the compiler plugin is refused (`require_trusted`).
    void require_complete() const;
};

/// Finds the tools on `search_path`, which has the form of $PATH, and the package (`find_package`).
[[nodiscard]] KernelToolchain find_kernel_toolchain(std::string_view search_path);

/// Returns the file of a kernel's path: from the working directory, else from the folder of
/// Tessera's own ops; nothing if neither has it.
[[nodiscard]] std::optional<std::filesystem::path> kernel_file(const std::string& path);

/// Returns the file of a kernel's path; `roots` are searched between the two folders.
/// Errors   UsageError naming the searched folders if there is none.
[[nodiscard]] std::filesystem::path find_kernel_file(
    const std::string& path, std::span<const std::filesystem::path> roots = {});

}  // namespace tessera
