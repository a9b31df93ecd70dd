// SPDX-License-Identifier: Apache-2.0
// Writes the files of a sweep.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/config/load_sweep.hpp"
#include "runtime/report/file_set.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// Returns one row per point by case and rank, points without a time last: rank, each key's value,
/// cycles, expected_ns, low_ns, high_ns, of_best, slower, bound, recorded_by (row of the file's
/// order, from 1), failure, and `<step>_ns` for each step of the first point's run.
[[nodiscard]] std::string to_csv(const SweepResult& result);

/// Returns a page with question and answer; the effect of each key; times of all points with their
/// intervals; times over each key and by step; the ranked table; points without a time. The scripts
/// of report.html draw it.
[[nodiscard]] std::string to_html(const SweepResult& result);

/// Returns the best point as a complete run file, best.yaml, with its result as a comment; with
/// cases, best_1.yaml and so on in the order of the cases. A case without timed points has no file.
[[nodiscard]] std::vector<report::NamedText> best_run_files(const config::LoadedSweep& sweep,
                                                            const SweepResult& result);

/// Checks, before any point runs, that write_files will be able to write to the folder.
/// Errors   UsageError as report::require_places.
void require_places(const std::filesystem::path& directory, const config::LoadedSweep& sweep);

/// Writes these, sweep.csv and sweep.html to `directory`, which is created: all or none. Files of
/// an interrupted sweep say so: the page and best.yaml at their head, sweep.csv as the failure of
/// each point that did not run. Errors   UsageError naming the path if a folder or file cannot be
/// made.
void write_files(const std::filesystem::path& directory, const config::LoadedSweep& sweep,
                 const SweepResult& result);

}  // namespace tessera::sweep
