// SPDX-License-Identifier: Apache-2.0
// What a sweep found: its points with their times, ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/load_sweep.hpp"
#include "runtime/study/compare.hpp"
#include "runtime/study/run_figures.hpp"

namespace tessera::sweep {

/// One point. It has figures, or a reason why not.
struct PointResult {
    std::vector<std::string> values;  ///< by SweepResult::keys; "" where the point does not set one
    std::size_t case_index = 0;       ///< into SweepResult::cases
    /// The point whose kernels ran for the trace that this one was timed from: its own index, or
    /// that of an earlier point that differs in timing only.
    std::size_t recorded_by = 0;
    std::optional<compare::RunFigures> figures;
    std::string failure;        ///< a rule that it breaks, an error of its run, or a failed check
    std::string not_kept;       ///< why the cache does not have its figures
    bool is_passed_by = false;  ///< a search did not run it
    /// Of a run that failed: 1 if a result failed its check, else the exit code of its error. A
    /// point that a rule forbids has 0: it did not run.
    int exit_code = 0;
};

struct SweepResult {
    std::string name;
    std::string question;
    std::string rank_by;  ///< "run" or a step's name
    bool has_values = false;
    std::vector<std::string> cases;   ///< their names, such as "tokens 64"; one, "", without cases
    std::vector<std::string> keys;    ///< that points set, those of cases first
    std::size_t num_case_keys = 0;    ///< of keys: how many of them cases set
    std::vector<std::string> labels;  ///< the keys' last parts, as many as tell them apart
    std::vector<PointResult> points;  ///< in the order of the file
    std::size_t num_recordings = 0;   ///< points whose kernels ran
    std::size_t num_cached = 0;       ///< points whose times an earlier sweep kept
    bool is_interrupted = false;      ///< it was ended before its last point
};

/// A point's place among the points of its case, and what can be said of it.
struct Ranked {
    std::size_t point = 0;
    std::size_t rank = 1;
    double of_best = 1;         ///< time over that of the case's best
    compare::Nanoseconds time;  ///< of the run, or of the step ranked by
    compare::Verdict verdict;   ///< on its being slower than the best; Equal for the best
    std::string bound;          ///< what most of its critical path is spent on: "DRAM 43 %"
};

/// The expected time that the ranking counts, in nanoseconds.
/// Errors   UsageError as ranking().
[[nodiscard]] double counted_time(const SweepResult& result, const compare::RunFigures& run);

/// Points with figures by case, then by expected time, those of equal time in the order of the
/// file.
/// Errors   UsageError naming the steps that there are, if rank_by is none of them.
[[nodiscard]] std::vector<Ranked> ranking(const SweepResult& result);

/// Keys as cases and then points set them, in the order in which they first appear.
[[nodiscard]] std::vector<std::string> keys_of(const config::LoadedSweep& sweep);
/// The last part of each key, with as many before it as tell them apart.
[[nodiscard]] std::vector<std::string> labels_of(const std::vector<std::string>& keys);
/// What was chosen: "k_block 4, cb_depth 2".
[[nodiscard]] std::string name_of(const SweepResult& result, std::size_t point);
/// The same behind the name of the point's case, if the sweep has cases: "tokens 64: k_block 4".
[[nodiscard]] std::string full_name_of(const SweepResult& result, std::size_t point);
/// Name of a case by one of its points: "tokens 64".
[[nodiscard]] std::string case_name_of(const SweepResult& result, std::size_t point);
/// The time over the best's with two digits, or with as many more as tell the two apart.
[[nodiscard]] std::string of_best_text(const Ranked& entry);
/// Returns "best" for the best, else the verdict's text: "likely: 91 % of 256 pairs".
[[nodiscard]] std::string word_of(const Ranked& entry);

/// Numbers of one unit stand in their order on an axis; names stand as they first appear.
enum class AxisKind : std::uint8_t { Numbers, Names };

struct Axis {
    AxisKind kind = AxisKind::Names;
    std::vector<std::string> values;
};

/// Collects the values that points give a key, in the order of an axis.
[[nodiscard]] Axis axis_of(const SweepResult& result, std::size_t key);

/// How much the time depends on one key. Points that differ in this key alone make a group.
struct KeyEffect {
    Axis axis;
    std::size_t num_groups = 0;  ///< of two points or more
    double mean = 1;             ///< slowest over fastest time of a group, geometric mean
    double most = 1;             ///< the same of the group in which it is largest
    std::vector<std::size_t>
        wins;  ///< by value: groups in which it is fastest, the first of equals
};

/// Compares the points of `ranked` with each other, key by key.
[[nodiscard]] std::vector<KeyEffect> effects_of(const SweepResult& result,
                                                const std::vector<Ranked>& ranked);

}  // namespace tessera::sweep
