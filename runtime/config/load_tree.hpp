// SPDX-License-Identifier: Apache-2.0
// Binds the tree of a run file to its structs; used to load a run and to load a sweep.
#pragma once

#include <filesystem>
#include <string_view>

#include "emu/base/fields/node.hpp"
#include "runtime/config/load.hpp"
#include "runtime/config/violations.hpp"

namespace tessera::config {

inline constexpr std::string_view kExtendsKey = "extends";

/// Returns the root of a file as a map; an empty file is an empty map, which overrides may fill.
[[nodiscard]] Node read_map(const std::filesystem::path& path);
/// Returns the root of a run file, merged over the files that it extends.
[[nodiscard]] Node read_run(const std::filesystem::path& path, ConfigFolders folders);

/// Returns the root of a device file, merged over the files that it extends. `run_path` and `folders`
/// are searched for these.
[[nodiscard]] Node read_arch(const std::filesystem::path& file,
                             const std::filesystem::path& run_path, ConfigFolders folders);

/// Run whose keys are valid by themselves; rules across keys may be broken.
struct BoundRun {
    LoadedRun loaded;
    Violations broken_rules;
};

/// Binds the tree of the run file at `path`, and that of its device.
/// Errors   ConfigError with all violations of single keys and of the arch file.
[[nodiscard]] BoundRun bind_run(Node root, const std::filesystem::path& path,
                                ConfigFolders folders);

}  // namespace tessera::config
