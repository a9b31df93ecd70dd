// SPDX-License-Identifier: Apache-2.0
// Composition by name: `device: wormhole_n150` means configs/arch/wormhole_n150.yaml.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/config/load.hpp"

namespace tessera::config {

/// The first file `NAME.yaml` in `../arch` beside the run file's folder, then in `arch/` of each
/// folder; none if `name` is no plain file name.
[[nodiscard]] std::optional<std::filesystem::path> find_arch_file(
    const std::string& name, const std::filesystem::path& run_path, ConfigFolders folders);

/// What to say of a name that has no file: the names there are, and the nearest.
[[nodiscard]] std::string unknown_device(const std::string& name,
                                         const std::filesystem::path& run_path,
                                         ConfigFolders folders);

}  // namespace tessera::config
