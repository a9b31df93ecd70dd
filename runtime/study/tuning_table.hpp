// SPDX-License-Identifier: Apache-2.0
// Table of the best settings for each shape, in a YAML file, which runs of that shape use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/config/load_sweep.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::tuning {

/// A key and its best value.
struct Setting {
    std::string key;  ///< "params.tile"
    std::string value;
};

/// A point that was compared.
struct Candidate {
    std::string point;  ///< "tile 32, k_push 1"
    std::string us;     ///< predicted time
    std::string bound;  ///< largest part of its critical path
    /// "best", or the verdict that it is slower; empty in tables of older versions.
    std::string verdict;
};

/// Choice for one shape.
struct Choice {
    std::string shape;    ///< params that are not settings: "T 64, H 1024"
    std::string made_on;  ///< fingerprint() of machine and pipeline
    std::vector<Setting> settings;
    std::vector<Candidate> candidates;  ///< the fastest first
};

/// Returns the params of a run without those among `settings`.
[[nodiscard]] std::string shape_of(const config::LoadedRun& loaded,
                                   const std::vector<Setting>& settings);
/// Returns sixteen digits that change with everything that predicted times depend on besides shape
/// and settings: numbers of the device and the mesh, ops of the steps, text of the built-in
/// kernels, and the program's version.
[[nodiscard]] std::string fingerprint(const config::LoadedRun& loaded, const std::string& version);

/// Checks that the sweep has no cases, since a choice is made for one shape.
/// Errors   UsageError if it has cases.
void require_one_shape(const config::LoadedSweep& sweep);

/// Returns the best point of a sweep without cases.
/// Errors   UsageError if no point has a time.
[[nodiscard]] Choice choice_of(const config::LoadedSweep& sweep, const sweep::SweepResult& result,
                               const std::string& version);

/// Returns the settings that the points of a sweep set, without values.
[[nodiscard]] std::vector<Setting> settings_of(const config::LoadedSweep& sweep);

/// Returns a line for each candidate: "tile 32, k_push 1: 195.116 us, bound by …; slower: likely:
/// 91 % of 256 pairs"; "best" for the chosen one.
[[nodiscard]] std::string explanation(const Choice& choice);

class TuningTable {
public:
    /// Reads the file; the table is empty if there is no file.
    /// Errors   ConfigError at file:line:column for another form.
    explicit TuningTable(std::filesystem::path path);

    [[nodiscard]] const std::vector<Choice>& choices() const noexcept { return choices_; }
    /// Returns the choice for a run's shape, or null.
    /// Errors   UsageError if the choice was made on another machine, pipeline or kernels. A stale
    ///          choice is neither used nor replaced in silence, since replacing it takes a sweep.
    [[nodiscard]] const Choice* find(const config::LoadedRun& loaded,
                                     const std::string& version) const;
    /// Adds a choice, or replaces that of its shape, and writes the file.
    void keep(Choice choice);

private:
    std::filesystem::path path_;
    std::vector<Choice> choices_;
};

}  // namespace tessera::tuning
