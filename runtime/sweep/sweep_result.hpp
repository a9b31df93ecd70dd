// SPDX-License-Identifier: Apache-2.0
// What a sweep found: its points with their times, ranked.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/compare/compare.hpp"
#include "runtime/compare/run_figures.hpp"
#include "runtime/config/load_sweep.hpp"

namespace tessera::sweep {

/// One point. It has figures, or a reason why not.
struct PointResult {
    std::vector<std::string> values;  ///< by SweepResult::keys; "" where the point does not set one
    /// The point whose kernels ran for the trace that this one was timed from: its own index, or
    /// that of an earlier point that differs in timing only.
    std::size_t recorded_by = 0;
    std::optional<compare::RunFigures> figures;
    std::string failure;  ///< a rule that it breaks, an error of its run, or a failed check
};

struct SweepResult {
    std::string name;
    std::string question;
    std::string rank_by;  ///< "run" or a step's name
    bool has_values = false;
    std::vector<std::string> keys;    ///< that points set, in the order of the file
    std::vector<std::string> labels;  ///< the keys' last parts, as many as tell them apart
    std::vector<PointResult> points;  ///< in the order of the file
    std::size_t num_recordings = 0;   ///< points whose kernels ran
};

/// A point's place in the ranking, and what can be said of it.
struct Ranked {
    std::size_t point = 0;
    compare::Nanoseconds time;  ///< of the run, or of the step ranked by
    /// Whether it is slower than the first at all ends of the constants; Equal for the first.
    compare::Verdict verdict = compare::Verdict::Equal;
    std::string bound;  ///< what most of its critical path is spent on: "DRAM 43 %"
};

/// Points with figures by expected time, those of equal time in the order of the file.
/// Errors   UsageError naming the steps that there are, if rank_by is none of them.
[[nodiscard]] std::vector<Ranked> ranking(const SweepResult& result);

/// Keys as the points set them, in the order in which they first appear.
[[nodiscard]] std::vector<std::string> keys_of(const config::LoadedSweep& sweep);
/// The last part of each key, with as many before it as tell them apart.
[[nodiscard]] std::vector<std::string> labels_of(const std::vector<std::string>& keys);
/// "k_block 4, cb_depth 2".
[[nodiscard]] std::string name_of(const SweepResult& result, std::size_t point);

}  // namespace tessera::sweep
