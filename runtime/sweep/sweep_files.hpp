// SPDX-License-Identifier: Apache-2.0
// The files of a sweep.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/config/load_sweep.hpp"
#include "runtime/sweep/sweep_result.hpp"

namespace tessera::sweep {

/// The best point as a complete run file, headed by what it won.
[[nodiscard]] std::string best_run_file(const config::LoadedSweep& sweep,
                                        const SweepResult& result);

/// Writes sweep.csv, sweep.html and best.yaml to `directory`, which is created: all or none.
/// Errors   UsageError naming the path if a folder or file cannot be made.
void write_files(const std::filesystem::path& directory, const config::LoadedSweep& sweep,
                 const SweepResult& result);

}  // namespace tessera::sweep
