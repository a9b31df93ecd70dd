// SPDX-License-Identifier: Apache-2.0
// Folders in which kernels and the headers that they include are searched, besides the kernel's own
// folder and Tessera's.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Environment variable with folders separated by colons. `--include` adds to it.
inline constexpr const char* kIncludeVariable = "TESSERA_INCLUDE_PATH";
/// Environment variable with the root of a TT-Metalium source tree.
inline constexpr const char* kMetaliumVariable = "TT_METAL_HOME";

/// Returns, in the order of search: `own` (of the program), those of TESSERA_INCLUDE_PATH, the
/// folder of the executable unless it is one of Tessera's, and of TT_METAL_HOME the tree, ttnn,
/// ttnn/cpp and tt_metal.
/// Errors   UsageError naming a folder of `own` or of TESSERA_INCLUDE_PATH that does not exist.
[[nodiscard]] std::vector<std::filesystem::path> kernel_roots(std::span<const std::string> own);

/// Adds a folder to TESSERA_INCLUDE_PATH of this process.
void add_kernel_root(const std::string& folder);

}  // namespace tessera
