// SPDX-License-Identifier: Apache-2.0
// What a sweep chose for each shape, kept in a YAML file, so that runs of that shape take it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/config/load.hpp"
#include "runtime/config/load_sweep.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::tuning {

/// A key and the value that won.
struct Setting {
    std::string key;  ///< "params.tile"
    std::string value;
};

/// A point that was compared.
struct Candidate {
    std::string point;  ///< "tile 32, k_push 1"
    std::string us;     ///< its predicted time
    std::string bound;  ///< what most of its critical path is spent on
    /// Returns "best", or the verdict on its being slower; empty in tables of older versions.
    std::string verdict;
};

/// The choice for one shape.
struct Choice {
    std::string shape;    ///< the params that were not chosen: "T 64, H 1024"
    std::string made_on;  ///< fingerprint() of machine and pipeline
    std::vector<Setting> settings;
    std::vector<Candidate> candidates;  ///< the fastest first
};

/// The params of a run but those among `settings`.
[[nodiscard]] std::string shape_of(const config::LoadedRun& loaded,
                                   const std::vector<Setting>& settings);
/// Sixteen digits that change with every number of the device and the mesh, with the ops of the
/// steps, with the text of the built-in kernels and with the program's version: what predicted
/// times follow from, beside shape and settings.
[[nodiscard]] std::string fingerprint(const config::LoadedRun& loaded, const std::string& version);

/// Errors   UsageError if the sweep has cases: a choice is made for one shape.
void require_one_shape(const config::LoadedSweep& sweep);

/// The winner of a sweep without cases.
/// Errors   UsageError if no point has a time.
[[nodiscard]] Choice choice_of(const config::LoadedSweep& sweep, const sweep::SweepResult& result,
                               const std::string& version);

/// The settings that the points of a sweep give, without values.
[[nodiscard]] std::vector<Setting> settings_of(const config::LoadedSweep& sweep);

/// Returns "tile 32, k_push 1: 195.116 us, bound by …; slower: likely: 91 % of 256 pairs" of each
/// candidate, a line each; of the chosen one "best".
[[nodiscard]] std::string explanation(const Choice& choice);

class TuningTable {
public:
    /// Reads the file; a table without choices if there is none.
    /// Errors   ConfigError at file:line:column for what is no table.
    explicit TuningTable(std::filesystem::path path);

    [[nodiscard]] const std::vector<Choice>& choices() const noexcept { return choices_; }
    /// The choice for a run's shape, or null.
    /// Errors   UsageError if it was made on another machine, pipeline or kernels: a stale choice
    /// is not
    ///          taken, and not made anew in silence either.
    [[nodiscard]] const Choice* find(const config::LoadedRun& loaded,
                                     const std::string& version) const;
    /// Adds a choice, or replaces that of its shape, and writes the file.
    void keep(Choice choice);

private:
    std::filesystem::path path_;
    std::vector<Choice> choices_;
};

}  // namespace tessera::tuning
