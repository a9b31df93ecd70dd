// SPDX-License-Identifier: Apache-2.0
// What compiling a kernel needs on this machine, and where it lies.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct KernelToolchain {
    std::filesystem::path compiler;  ///< clang++ 14, whose plugin interface the pass is built for
    std::filesystem::path linker;
    std::filesystem::path pass;                          ///< emu/kernel_pass, the address step
    std::filesystem::path include_dir;                   ///< holds tessera/kernel/
    std::filesystem::path metalium_dir;                  ///< holds the header names of TT-Metalium
    std::string umbrella = "tessera/kernel/kernel.hpp";  ///< included in front of every kernel
    std::vector<std::string> flags;  ///< those of built-in kernels (cmake/TesseraKernels.cmake)

    /// Text that changes when one of the tools does.
    [[nodiscard]] std::string identity() const;
};

/// Finds the tools on `search_path` ($PATH's form), the rest beside the running program if it is
/// installed, in the source and build tree, or where `cmake --install` put it.
/// Errors   UsageError naming the Debian package of a missing tool, or the places searched.
[[nodiscard]] KernelToolchain find_kernel_toolchain(std::string_view search_path);

/// The file a kernel's path means: as given from the working directory, else from the folder that
/// holds Tessera's own ops.
/// Errors   UsageError naming the places searched.
[[nodiscard]] std::filesystem::path find_kernel_file(const std::string& path);

}  // namespace tessera
