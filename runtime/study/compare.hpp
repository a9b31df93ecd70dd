// SPDX-License-Identifier: Apache-2.0
// Compares two timed runs: which is faster, why, and with what certainty. Times are nanoseconds,
// since clocks may differ.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "runtime/study/run_figures.hpp"
#include "runtime/study/verdict.hpp"

namespace tessera::compare {

/// Difference of times by pairs.
struct PairedDifference {
    std::vector<double> differences;  ///< B − A in nanoseconds, by pair
    Verdict verdict;
};

/// One time of a run with the clock of its cycles.
struct TimeOfRun {
    PredictedTime time;
    const report::Ensemble& ensemble;
    Hertz clock;
};

/// Pairs the samples of two ensembles; draws that only one of them has are ignored.
[[nodiscard]] PairedDifference paired_difference(const TimeOfRun& a, const TimeOfRun& b);

struct Nanoseconds {
    double low = 0;
    double expected = 0;
    double high = 0;
};

/// Part of two critical paths, with its time in A and in B.
struct Contribution {
    std::string name;
    double a = 0;
    double b = 0;
};

/// Difference B − A with one constant at an end of its range and all others as stated.
struct ConstantEnd {
    std::string key;    ///< "timing.dram.read_latency"
    std::string value;  ///< "180 cycles"
    double difference = 0;
};

/// Comparison of a step, or of the whole run. Low and high of differences B − A are the 5th and
/// 95th percentile of the pairs.
struct StepComparison {
    std::string name;
    std::optional<Nanoseconds> a;  ///< none: the run has no such step
    std::optional<Nanoseconds> b;
    double a_over_bound = 0;  ///< A's time over its bound; 0: no bound is known
    double b_over_bound = 0;
    Nanoseconds difference;
    Verdict verdict;
    std::vector<Contribution> activities;  ///< largest |b − a| first; names as in StepFigures
    std::vector<Contribution> lines;
    std::vector<Contribution> resources;
    std::vector<ConstantEnd> flips;  ///< ends that change the sign of the expected difference
};

struct Comparison {
    std::string a;  ///< name of the run and its device: "moe_v2 on wormhole_n150"
    std::string b;
    bool is_same_clock = true;
    Hertz clock;  ///< of A
    StepComparison run;
    std::vector<StepComparison> steps;  ///< A's in order; steps of B only keep their position
    std::size_t num_constants = 0;      ///< constants that were moved one at a time; 0: none
};

/// Both runs with one constant at one end of its range: expected times only.
struct MovedConstant {
    std::string key;
    std::string value;
    RunFigures a;
    RunFigures b;
};

/// Compares the runs; steps are matched by name, the first of a name with the first.
/// Preconditions  The runs of `moved` have the steps of `a` and `b`.
[[nodiscard]] Comparison compare(const RunFigures& a, const RunFigures& b,
                                 const std::vector<MovedConstant>& moved = {});

/// Same step in two runs; null if a run does not have it.
struct StepPair {
    const StepFigures* a = nullptr;
    const StepFigures* b = nullptr;
};

/// Returns the steps of `a` in order, each with the step of the same name in `b`. If a name occurs
/// several times, the first is paired with the first, the second with the second. Steps of `b` only
/// come before the next common step.
[[nodiscard]] std::vector<StepPair> match_steps(const std::vector<StepFigures>& a,
                                                const std::vector<StepFigures>& b);

/// Version of the schema. It changes when a key is renamed, removed or changes its meaning; new
/// keys do not change it.
inline constexpr int kCompareSchemaVersion = 3;

/// Returns {schema: "tessera.compare", version, a, b, pairs, constants_moved, run{}, steps[]},
/// times in nanoseconds. A step is {name, a, b, a_over_bound, b_over_bound, difference, share,
/// verdict, verdict_text, activities[], lines[], resources[], flips[]}: a and b {low, expected,
/// high} or null, difference the same of B − A, share that of pairs with its sign, parts {name, a,
/// b}, flips {key, value, difference}. Verdict is the name of a Grade, verdict_text the whole:
/// "likely: 91 % of 256 pairs".
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);

/// Returns the runs, a row per step with both times, their difference, its interval and verdict;
/// the parts of the critical path that cause the run's difference; a last line with the verdict.
/// Times are cycles, or us if the clocks differ.
[[nodiscard]] std::string to_text(const Comparison& comparison, const report::TextStyle& style);

/// Returns the last line: "B is 1.50 times as fast as A (robust: 99 % of 256 pairs)".
[[nodiscard]] std::string verdict_text(const Comparison& comparison,
                                       const report::TextStyle& style);

}  // namespace tessera::compare
