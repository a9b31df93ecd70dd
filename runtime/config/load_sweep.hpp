// SPDX-License-Identifier: Apache-2.0
// Loads a run file with a `sweep:` block as the runs that it describes.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/load.hpp"
#include "runtime/config/sweep_spec.hpp"

namespace tessera::config {

/// One run of a sweep.
struct SweepPoint {
    SweepSettings settings;
    LoadedRun loaded;
    std::size_t case_index = 0;  ///< into SweepSpec::cases; 0 if there are none
    /// Why the point cannot run, one rule a line; empty if it can. Points of a grid may be
    /// impossible, such as a K block that is too large for L1.
    std::string impossible;
};

struct LoadedSweep {
    std::string name;  ///< stem of the file
    SweepSpec sweep;
    std::vector<SweepPoint> points;
    Resolved resolved;  ///< keys of the block, such as "sweep.question"
};

/// Points of a sweep that cannot run for reasons that differ in their numbers only.
struct ImpossibleKind {
    std::size_t num_points = 0;
    std::string reason;  ///< reason of the first point
};

/// Returns the kinds of reasons, in the order of the points.
[[nodiscard]] std::vector<ImpossibleKind> impossible_kinds(const LoadedSweep& sweep);

/// Returns a line for each kind, indented: "  4 points: REASON".
[[nodiscard]] std::string to_text(const std::vector<ImpossibleKind>& kinds);

/// Checks that at least one point can run.
/// Errors   UsageError with each kind of reason if no point can run.
void require_possible(const LoadedSweep& sweep);

/// Returns whether the file has a `sweep:` block.
/// Errors   as load_sweep, for reading.
[[nodiscard]] bool is_sweep(const std::filesystem::path& path);

/// Reads the block `sweep:` only; does not check the keys that it varies.
/// Errors   as load_sweep, for the block.
[[nodiscard]] SweepSpec read_sweep(const std::filesystem::path& path);

/// Loads every point of the sweep. Overrides replace values of the file, as in load_run; values of
/// a point replace both.
/// Errors   ConfigError as load_run, with messages that begin with the position of a point's value;
///          - also for a missing `sweep:` block, or no key in it;
///          - for a key in two of `cases`, `points` and `grid`, or a key that is also overridden;
///          - if `rank_by` is not a launch of a point.
///          UsageError if the file cannot be read.
[[nodiscard]] LoadedSweep load_sweep(const std::filesystem::path& path,
                                     std::span<const Override> overrides, ConfigFolders folders);

}  // namespace tessera::config
