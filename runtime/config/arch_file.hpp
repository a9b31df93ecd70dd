// SPDX-License-Identifier: Apache-2.0
// Finds device files by name: `device: wormhole_n150` means configs/arch/wormhole_n150.yaml.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/config/load.hpp"

namespace tessera::config {

/// Returns whether a device is named by a path: with a slash or `.yaml`.
[[nodiscard]] bool is_path_of_arch(const std::string& name);

/// Returns the first file `NAME.yaml` in `../arch`, relative to the run file's folder, then in
/// `arch/` of each folder. A path is relative to the run file's folder.
[[nodiscard]] std::optional<std::filesystem::path> find_arch_file(
    const std::string& name, const std::filesystem::path& run_path, ConfigFolders folders);

/// Returns the message for a name that has no file: the allowed names, and the nearest one.
[[nodiscard]] std::string unknown_device(const std::string& name,
                                         const std::filesystem::path& run_path,
                                         ConfigFolders folders);

}  // namespace tessera::config
