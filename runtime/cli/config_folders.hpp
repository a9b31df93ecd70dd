// SPDX-License-Identifier: Apache-2.0
// Finds the configurations that ship with tessera.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::cli {

/// Returns the package's folder `configs` (runtime/kernels/package.hpp) with `arch/`, `runs/` and
/// `sweeps/`.
/// Errors   as find_package().
[[nodiscard]] std::filesystem::path shipped_configs();

/// Returns the file that CONFIG names: a path, or the name of a shipped run, sweep, or either.
/// Errors   UsageError with the nearest name and all names, if no such file exists.
[[nodiscard]] std::filesystem::path find_run_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_sweep_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_config(const std::string& config);

/// Returns the names of the shipped config.json of models, sorted.
[[nodiscard]] std::vector<std::string> shipped_models();
/// Returns the config.json that MODEL names: a file, its folder, or a shipped name.
/// Errors   UsageError with the nearest name, if there is none.
[[nodiscard]] std::filesystem::path find_model(const std::string& model);

}  // namespace tessera::cli
