// SPDX-License-Identifier: Apache-2.0
// Where the configurations that ship with tessera lie.
#pragma once

#include <filesystem>
#include <string>

namespace tessera::cli {

/// `share/tessera/configs` beside the binary's folder if it is installed, else the source tree's
/// `configs`. It holds `arch/`, `runs/` and `sweeps/`.
/// Errors   UsageError if neither exists.
[[nodiscard]] std::filesystem::path shipped_configs();

/// The file that CONFIG means: a path, or the name of a shipped run, of a sweep, or of either.
/// Errors   UsageError with the nearest name and all names, if there is no such file.
[[nodiscard]] std::filesystem::path find_run_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_sweep_config(const std::string& config);
[[nodiscard]] std::filesystem::path find_config(const std::string& config);

}  // namespace tessera::cli
