// SPDX-License-Identifier: Apache-2.0
// What tessera sweep and tessera tune do before the first point runs, and tessera check instead.
#pragma once

#include <optional>
#include <string>

#include "runtime/cli/config_options.hpp"

namespace tessera::cli {

/// Files and folders beside a sweep's configuration.
struct SweepPlaces {
    std::optional<std::string> out;    ///< folder of results
    std::optional<std::string> cache;  ///< folder of points that are timed already
    std::optional<std::string> table;  ///< of tessera tune
};

/// Adds --out and --cache.
void add_sweep_places(CLI::App& command, SweepPlaces& places);

/// Loads a sweep of which at least one point can run.
/// Errors   as load_sweep; UsageError if no point can run, or for places that cannot be written, or
///          do not go with the sweep.
[[nodiscard]] config::LoadedSweep open_sweep(const ConfigOptions& options,
                                             const SweepPlaces& places);

}  // namespace tessera::cli
