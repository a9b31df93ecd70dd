// SPDX-License-Identifier: Apache-2.0
// Loads device models by name or path, with replaced numbers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/load.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Returns the file of `device`, which is a path or the name of a shipped device model.
/// Errors   UsageError that begins with `origin` and has the nearest name and all names, if there
///          is no such file.
[[nodiscard]] std::filesystem::path find_device_model(std::string_view origin,
                                                      const std::string& device);

/// Returns the file of the shipped device model on which a trace was recorded.
/// Errors   UsageError naming `path` if no shipped device model has that name.
[[nodiscard]] std::filesystem::path arch_of_trace(const std::filesystem::path& path,
                                                  const Trace& trace);

/// Loads a device model and applies the `sets`. Keys are those of the file, with or without the
/// prefix "arch."; "timing." may be omitted if no other key has the name. "timing.noc.link_rate=…",
/// "arch.timing.noc.link_rate=…" and "noc.link_rate=…" mean the same.
/// Errors   ConfigError as config::load_arch.
[[nodiscard]] config::LoadedArch load_device(const std::filesystem::path& file,
                                             const std::vector<std::string>& sets);
[[nodiscard]] config::LoadedArch load_overridden(const std::filesystem::path& file,
                                                 std::vector<config::Override> overrides);

}  // namespace tessera
