// SPDX-License-Identifier: Apache-2.0
// A device model as callers name it, with its numbers replaced.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/load.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// The file that `device` means: a path, or the name of a device model that ships.
/// Errors   UsageError with the nearest name and all names, if there is no such file; it begins
///          with `origin`, who named the device.
[[nodiscard]] std::filesystem::path find_device_model(std::string_view origin,
                                                      const std::string& device);

/// The file of the shipped device model that a trace was recorded on.
/// Errors   UsageError naming `path`, if none of that name ships.
[[nodiscard]] std::filesystem::path arch_of_trace(const std::filesystem::path& path,
                                                  const Trace& trace);

/// Loads a device model with the `sets` in it. Keys are those of the file; "arch." may stand before
/// them, as in run configurations, and "timing." may be left out where no other key has the name:
/// "timing.noc.link_rate=…", "arch.timing.noc.link_rate=…" and "noc.link_rate=…" mean the same.
/// Errors   ConfigError as config::load_arch.
[[nodiscard]] config::LoadedArch load_device(const std::filesystem::path& file,
                                             const std::vector<std::string>& sets);

}  // namespace tessera
