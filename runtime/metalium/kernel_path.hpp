// SPDX-License-Identifier: Apache-2.0
// Finds the kernel files that host programs name.
#pragma once

#include <string>

namespace tessera::metalium {

/// Sets the folder that is searched after the working directory (SetRootDir).
void set_root_folder(const std::string& folder);

/// Returns the path of a kernel's file. A relative path is searched below the working directory, the
/// folder of set_root_folder(), $TT_METAL_KERNEL_PATH, $TT_METAL_RUNTIME_ROOT, $TT_METAL_HOME, the
/// folders above the working directory and those above the program, and among Tessera's own ops.
/// Errors   UsageError naming the searched folders.
[[nodiscard]] std::string resolve_kernel_path(const std::string& path);

}  // namespace tessera::metalium
