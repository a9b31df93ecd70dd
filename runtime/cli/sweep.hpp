// SPDX-License-Identifier: Apache-2.0
// The part of tessera sweep and tessera tune before the first point runs; tessera check does only
// this.
#pragma once

#include <optional>
#include <string>

#include "runtime/cli/config_options.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera::cli {

/// Files and folders of a sweep other than its configuration.
struct SweepPlaces {
    std::optional<std::string> out;    ///< folder of results
    std::optional<std::string> cache;  ///< folder with times of points
    std::optional<std::string> table;  ///< table of tessera tune
};

/// Adds --out and --cache.
void add_sweep_places(CLI::App& command, SweepPlaces& places);

/// Loads a sweep of which at least one point can run.
/// Errors   as load_sweep; UsageError if no point can run, or for places that cannot be written or
///          that are not options of the sweep.
[[nodiscard]] config::LoadedSweep open_sweep(const ConfigOptions& options,
                                             const SweepPlaces& places);

/// Runs a point. Returns the steps whose values are too far from their references as a sentence, or
/// "" if there are none.
[[nodiscard]] std::string record_point(const config::LoadedRun& loaded,
                                       const pipeline::RunModes& modes);

}  // namespace tessera::cli
