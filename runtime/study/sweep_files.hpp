// SPDX-License-Identifier: Apache-2.0
// The files of a sweep.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/config/load_sweep.hpp"
#include "runtime/report/file_set.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// One row per point by case and rank, those without a time last: rank, each key's value, cycles,
/// expected_ns, low_ns, high_ns, of_best, slower, bound, recorded_by (row of the file's order,
/// from 1), failure, and `<step>_ns` of each step of the first point's run.
[[nodiscard]] std::string to_csv(const SweepResult& result);

/// Shows question and answer; how much each key matters; times of all points with their intervals;
/// times over each key and by step; the ranked table; points without a time. Looks like
/// report.html and is drawn by its scripts.
[[nodiscard]] std::string to_html(const SweepResult& result);

/// The best point as a complete run file, best.yaml, headed by what it won; with cases best_1.yaml
/// on, by the case's place in the file. A case none of whose points has a time has no file.
[[nodiscard]] std::vector<report::NamedText> best_run_files(const config::LoadedSweep& sweep,
                                                            const SweepResult& result);

/// Refuses, before any point runs, a folder that write_files could not write to.
/// Errors   UsageError as report::require_places.
void require_places(const std::filesystem::path& directory, const config::LoadedSweep& sweep);

/// Writes these, sweep.csv and sweep.html to `directory`, which is created: all or none. Files of
/// an interrupted sweep say so: the page and best.yaml at their head, sweep.csv as the failure of
/// each point that did not run. Errors   UsageError naming the path if a folder or file cannot be
/// made.
void write_files(const std::filesystem::path& directory, const config::LoadedSweep& sweep,
                 const SweepResult& result);

}  // namespace tessera::sweep
