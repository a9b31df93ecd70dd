// SPDX-License-Identifier: Apache-2.0
// A loaded run as a run file again: complete, with nothing left to defaults.
#pragma once

#include <string>

#include "runtime/config/load.hpp"

namespace tessera::config {

/// YAML that load_run takes: every key of the run, and below `arch:` those numbers of the device
/// that do not come from its own file, with their sources.
/// Errors   UsageError if such a number is one of a list of maps, which no run file can replace by
///          parts.
[[nodiscard]] std::string to_run_file(const LoadedRun& loaded);

}  // namespace tessera::config
