// SPDX-License-Identifier: Apache-2.0
// Writes a loaded run as a complete run file, without defaults.
#pragma once

#include <string>

#include "runtime/config/load.hpp"

namespace tessera::config {

/// Returns YAML for load_run: every key of the run, and below `arch:` the numbers of the device
/// that do not come from the device's own file, with their sources.
/// Errors   UsageError if such a number is in a list of maps, which a run file cannot replace in
///          part.
[[nodiscard]] std::string to_run_file(const LoadedRun& loaded);

}  // namespace tessera::config
