// SPDX-License-Identifier: Apache-2.0
// Finds the kernel files that host programs name.
#pragma once

#include <string>

namespace tessera::metalium {

/// Sets the folder of SetRootDir().
void set_root_folder(const std::string& folder);

/// Returns the path of a kernel's file. The order of the searched folders is that of CreateKernel
/// (tt-metalium/host_api.hpp).
/// Errors   UsageError naming the searched folders.
[[nodiscard]] std::string resolve_kernel_path(const std::string& path);

}  // namespace tessera::metalium
