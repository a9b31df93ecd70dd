// SPDX-License-Identifier: Apache-2.0
// Finds the configurations that ship with tessera.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::cli {

/// The package's folder `configs` (runtime/kernels/package.hpp) with `arch/`, `runs/` and
/// `sweeps/`. Errors   as find_package().
[[nodiscard]] std::filesystem::path shipped_configs();

/// The file that CONFIG names: a path, or the name of a shipped run, sweep, or either.
/// Errors   UsageError with the nearest name and all names, if no such file exists.
[[nodiscard]] std::filesystem::path find_run_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_sweep_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_config(const std::string& config);

}  // namespace tessera::cli
