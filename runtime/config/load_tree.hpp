// SPDX-License-Identifier: Apache-2.0
// From the tree of a run file to its structs: what loading a run and loading a sweep share.
#pragma once

#include <filesystem>

#include "emu/base/fields/node.hpp"
#include "runtime/config/load.hpp"
#include "runtime/config/violations.hpp"

namespace tessera::config {

/// The root of a file as a map, so that overrides may fill an empty file.
[[nodiscard]] Node read_map(const std::filesystem::path& path);
/// The same of a run file, laid over those that it extends.
[[nodiscard]] Node read_run(const std::filesystem::path& path, ConfigFolders folders);

/// A run whose every key is in order by itself; rules across keys may be broken.
struct BoundRun {
    LoadedRun loaded;
    Violations broken_rules;
};

/// Binds the tree of the run file at `path`, and that of its device.
/// Errors   ConfigError with all violations of single keys and of the arch file.
[[nodiscard]] BoundRun bind_run(Node root, const std::filesystem::path& path,
                                ConfigFolders folders);

}  // namespace tessera::config
