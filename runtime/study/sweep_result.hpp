// SPDX-License-Identifier: Apache-2.0
// Result of a sweep: its points with their times, ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/load_sweep.hpp"
#include "runtime/study/compare.hpp"
#include "runtime/study/run_figures.hpp"

namespace tessera::sweep {

/// One point, with figures or the reason why it has none.
struct PointResult {
    std::vector<std::string> values;  ///< by SweepResult::keys; "" for a key that it does not set
    std::size_t case_index = 0;       ///< into SweepResult::cases
    /// Index of the first point that shares this point's recording: its own, or that of an earlier
    /// point that differs in timing only. It does not depend on the cache.
    std::size_t recorded_by = 0;
    std::optional<compare::RunFigures> figures;
    std::string failure;      ///< a broken rule, an error of its run, or a failed check
    std::string not_kept;     ///< reason why the cache does not have its figures
    bool is_skipped = false;  ///< a search did not run it
    /// Exit code of a failed run: 1 if a result failed its check, else that of its error. It is 0
    /// for a point that a rule forbids, which did not run.
    int exit_code = 0;
};

struct SweepResult {
    std::string name;
    std::string question;
    std::string rank_by;  ///< "run" or a step's name
    bool has_values = false;
    /// Without values: tensors of its points that steer kernels and are drawn, since no step computes
    /// them.
    std::vector<std::string> drawn{};
    std::vector<std::string> cases;   ///< names such as "tokens 64"; one empty name without cases
    std::vector<std::string> keys;    ///< keys that points set, those of cases first
    std::size_t num_case_keys = 0;    ///< number of the keys that cases set
    std::vector<std::string> labels;  ///< last parts of the keys, as many as make them different
    /// Short labels of values that are long: "12 cycles" of "{value: 12 cycles, source: …}". Two
    /// keys may share a value; it then has one label.
    std::map<std::string, std::string> value_labels;
    std::vector<PointResult> points;  ///< in the order of the file
    std::size_t num_recordings = 0;   ///< points whose kernels ran
    std::size_t num_cached = 0;       ///< points with times from the cache
    bool is_interrupted = false;      ///< ended before its last point ran
};

/// Rank of a point among the points of its case, with its verdict.
struct Ranked {
    std::size_t point = 0;
    std::size_t rank = 1;
    double of_best = 1;         ///< time divided by that of the case's best point
    compare::Nanoseconds time;  ///< time of the run, or of the ranked step
    compare::Verdict verdict;   ///< that it is slower than the best; Equal for the best
    std::string bound;          ///< largest part of its critical path: "DRAM 43 %"
};

/// Returns the expected time by which points are ranked, in nanoseconds.
/// Errors   UsageError as ranking().
[[nodiscard]] double counted_time(const SweepResult& result, const compare::RunFigures& run);

/// Returns the points with figures by case, then by expected time; equal times in the order of the
/// file.
/// Errors   UsageError naming the known steps, if rank_by is not one of them.
[[nodiscard]] std::vector<Ranked> ranking(const SweepResult& result);

/// Returns the keys that cases and then points set, in the order of their first occurrence.
[[nodiscard]] std::vector<std::string> keys_of(const config::LoadedSweep& sweep);
/// Returns the last part of each key, with as many parts before it as make the keys different.
[[nodiscard]] std::vector<std::string> labels_of(const std::vector<std::string>& keys);
/// Returns the label of a value of a point: the value itself if it is short.
[[nodiscard]] const std::string& label_of(const SweepResult& result, const std::string& value);
/// Returns the labels of a point's values, by SweepResult::keys.
[[nodiscard]] std::vector<std::string> value_labels_of(const SweepResult& result,
                                                       std::size_t point);
/// Returns the values of a point: "k_block 4, cb_depth 2".
[[nodiscard]] std::string name_of(const SweepResult& result, std::size_t point);
/// Returns name_of() after the name of the point's case, if there are cases: "tokens 64: k_block
/// 4".
[[nodiscard]] std::string full_name_of(const SweepResult& result, std::size_t point);
/// Returns the name of a point's case: "tokens 64".
[[nodiscard]] std::string case_name_of(const SweepResult& result, std::size_t point);
/// Returns the time relative to the best's, with two digits or as many more as make them different.
[[nodiscard]] std::string of_best_text(const Ranked& entry);
/// Returns "best" for the best, else the verdict's text: "likely: 91 % of 256 pairs".
[[nodiscard]] std::string word_of(const Ranked& entry);

/// Kind of an axis: numbers of one unit are sorted; names keep the order of their first occurrence.
enum class AxisKind : std::uint8_t { Numbers, Names };

struct Axis {
    AxisKind kind = AxisKind::Names;
    std::vector<std::string> values;
};

/// Collects the labels of the values that points give a key, in the order of an axis.
[[nodiscard]] Axis axis_of(const SweepResult& result, std::size_t key);

/// Effect of one key on the time. Points that differ in this key only make a group.
struct KeyEffect {
    Axis axis;
    std::size_t num_groups = 0;  ///< groups of at least two points
    double mean = 1;             ///< slowest over fastest time of a group, geometric mean
    double most = 1;             ///< slowest over fastest time of a group, largest
    std::vector<std::size_t>
        wins;  ///< by value: groups in which it is fastest, the first of equals
};

/// Compares the points of `ranked` with each other, key by key.
[[nodiscard]] std::vector<KeyEffect> effects_of(const SweepResult& result,
                                                const std::vector<Ranked>& ranked);

}  // namespace tessera::sweep
