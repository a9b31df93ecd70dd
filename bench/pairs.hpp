// SPDX-License-Identifier: Apache-2.0
// Ours against theirs in one run: measured alternately, compared by the median of the pairs.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace tessera::bench {

/// Returns the wall seconds of `work`.
template <class Work>
[[nodiscard]] double seconds_of(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the median; 0 for no values.
[[nodiscard]] inline double median_of(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Adds the benchmark to the table of goals: `ratio` must be at least `goal`.
inline void set_goal_at_least(benchmark::State& state, double ratio, double goal) {
    state.counters["ratio"] = ratio;
    state.counters["goal"] = goal;
}
/// Sets a goal for a figure of which smaller is better; otherwise as set_goal_at_least.
inline void set_goal_at_most(benchmark::State& state, double ratio, double goal) {
    set_goal_at_least(state, ratio, goal);
    state.counters["goal_is_upper"] = 1;
}

/// Runs `numerator` and `denominator` alternately, once per iteration, and returns the median of
/// the quotients of their seconds.
template <class Numerator, class Denominator>
[[nodiscard]] double median_of_pairs(benchmark::State& state, Numerator&& numerator,
                                     Denominator&& denominator) {
    std::vector<double> ratios;
    for (auto _ : state) {
        const double above = seconds_of(numerator);
        ratios.push_back(above / seconds_of(denominator));
    }
    return median_of(std::move(ratios));
}

}  // namespace tessera::bench
