// SPDX-License-Identifier: Apache-2.0
// Where the configurations that ship with tessera lie.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::cli {

/// The package's `configs` (runtime/kernels/package.hpp), which hold `arch/`, `runs/` and
/// `sweeps/`. Errors   as find_package().
[[nodiscard]] std::filesystem::path shipped_configs();

/// The file that CONFIG means: a path, or the name of a shipped run, of a sweep, or of either.
/// Errors   UsageError with the nearest name and all names, if there is no such file.
[[nodiscard]] std::filesystem::path find_run_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_sweep_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_config(const std::string& config);

}  // namespace tessera::cli
