// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace tessera::compare {
namespace {

using report::Side;

/// Returns, for each step, the number of earlier steps with the same name: layers of a model repeat
/// names, and the second `gate` of A must be compared with the second of B.
std::vector<std::size_t> ordinals_of(const std::vector<StepFigures>& steps) {
    std::map<std::string, std::size_t> seen;
    std::vector<std::size_t> ordinals;
    ordinals.reserve(steps.size());
    for (const StepFigures& step : steps) {
        ordinals.push_back(seen[step.name]++);
    }
    return ordinals;
}

double nanoseconds(Millicycles time, Hertz clock) {
    return static_cast<double>(time) * 1e6 / clock.value;
}

Nanoseconds nanoseconds(const PredictedTime& time, Hertz clock) {
    return {nanoseconds(time.low, clock), nanoseconds(time.expected, clock),
            nanoseconds(time.high, clock)};
}

std::string title_of(const RunFigures& run) {
    return fmt::format("{} on {}", run.name, run.arch);
}

/// Parts of a run's path with the clock of their cycles.
struct SpentTime {
    const TimeByName& times;
    Hertz clock;
};

/// Returns the parts of two paths by the size of their difference. A part that only one path has
/// counts with 0 in the other.
std::vector<Contribution> contributions(const SpentTime& a, const SpentTime& b) {
    std::map<std::string, Contribution> parts;
    for (const auto& [name, time] : a.times) {
        parts[name].a = nanoseconds(time, a.clock);
    }
    for (const auto& [name, time] : b.times) {
        parts[name].b = nanoseconds(time, b.clock);
    }
    // Sorted by difference, so that the largest cause is the first row.
    std::vector<Contribution> sorted;
    for (auto& [name, part] : parts) {
        part.name = name;
        sorted.push_back(part);
    }
    std::ranges::stable_sort(sorted, std::greater(),
                             [](const Contribution& part) { return std::abs(part.b - part.a); });
    return sorted;
}

StepFigures whole(const RunFigures& run) {
    // The run is compared as one step, by the same rules as its steps.
    return {.name = "run",
            .time = run.time,
            .bound = run.bound,
            .ensemble = run.ensemble,
            .path = run.path};
}

/// Returns B − A in nanoseconds: cycles of two clocks cannot be subtracted.
double difference_of(const StepPair& pair, Hertz clock_a, Hertz clock_b) {
    const Millicycles a = pair.a == nullptr ? 0 : pair.a->time.expected;
    const Millicycles b = pair.b == nullptr ? 0 : pair.b->time.expected;
    return nanoseconds(b, clock_b) - nanoseconds(a, clock_a);
}

int sign_of(double value) noexcept {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// Returns whether a step is missing in a run. It then counts with time 0 in each pair, so that the
/// differences of steps add up to that of the run.
bool is_missing(const TimeOfRun& run) {
    return run.time.expected == 0 && run.ensemble.draws.empty();
}

std::vector<double> samples_of(const TimeOfRun& run, Side side) {
    std::vector<double> samples = report::samples_of(run.ensemble, side);
    if (is_missing(run)) {
        samples.resize(report::kNumSamples);
    }
    for (double& sample : samples) {
        sample *= 1e6 / run.clock.value;
    }
    return samples;
}

bool are_equal(const TimeOfRun& a, const TimeOfRun& b) {
    return a.clock == b.clock && a.time.expected == b.time.expected &&
           a.ensemble.draws == b.ensemble.draws;
}

Nanoseconds interval(double expected, const PairedDifference& pairs) {
    // Without draws there are no pairs and no interval.
    if (pairs.differences.empty()) {
        return {expected, expected, expected};
    }
    // Widened to contain the expected difference, which may be outside of the pairs' percentiles.
    return {std::min(expected, report::percentile(pairs.differences, report::kLowShare)), expected,
            std::max(expected, report::percentile(pairs.differences, report::kHighShare))};
}

/// Compares steps of two runs whose clocks may differ.
class StepComparer {
public:
    StepComparer(const RunFigures& a, const RunFigures& b) : clock_a_(a.clock), clock_b_(b.clock) {}

    [[nodiscard]] StepComparison compare(const StepPair& pair) const {
        static const StepFigures kNothing;
        const StepFigures& a = pair.a == nullptr ? kNothing : *pair.a;
        const StepFigures& b = pair.b == nullptr ? kNothing : *pair.b;
        const Nanoseconds time_a = nanoseconds(a.time, clock_a_);
        const Nanoseconds time_b = nanoseconds(b.time, clock_b_);
        const auto pairs =
            paired_difference({a.time, a.ensemble, clock_a_}, {b.time, b.ensemble, clock_b_});
        StepComparison step;
        step.name = pair.a == nullptr ? b.name : a.name;
        step.a = pair.a == nullptr ? std::nullopt : std::optional(time_a);
        step.b = pair.b == nullptr ? std::nullopt : std::optional(time_b);
        step.a_over_bound = report::over_bound(a.time.expected, a.bound);
        step.b_over_bound = report::over_bound(b.time.expected, b.bound);
        step.difference = interval(time_b.expected - time_a.expected, pairs);
        step.verdict = pairs.verdict;
        step.activities =
            contributions({a.path.activities, clock_a_}, {b.path.activities, clock_b_});
        step.lines = contributions({a.path.lines, clock_a_}, {b.path.lines, clock_b_});
        step.resources = contributions({a.path.resources, clock_a_}, {b.path.resources, clock_b_});
        return step;
    }

    void move(const MovedConstant& constant, const StepPair& pair, StepComparison& step) const {
        const double moved = difference_of(pair, clock_a_, clock_b_);
        // Only a change of the sign is recorded: then the constant decides which run is faster.
        if (sign_of(step.difference.expected) != sign_of(moved)) {
            step.flips.push_back({constant.key, constant.value, moved});
        }
    }

private:
    Hertz clock_a_;
    Hertz clock_b_;
};

}  // namespace

PairedDifference paired_difference(const TimeOfRun& a, const TimeOfRun& b) {
    // Sides share the draw of the constants and half of the variance of the model error
    // (docs/history/accuracy.md).
    const std::vector<double> samples_a = samples_of(a, Side::A);
    const std::vector<double> samples_b = samples_of(b, Side::B);
    PairedDifference pairs;
    pairs.differences.resize(std::min(samples_a.size(), samples_b.size()));
    // Errors that two runs do not share belong to what they do differently. Equal runs do nothing
    // differently, so their pairs are equal and not noise.
    if (!are_equal(a, b)) {
        for (std::size_t i = 0; i < pairs.differences.size(); ++i) {
            pairs.differences[i] = samples_b[i] - samples_a[i];
        }
    }
    const double expected =
        nanoseconds(b.time.expected, b.clock) - nanoseconds(a.time.expected, a.clock);
    // The expected difference is that of the stated constants; the verdict counts pairs with its
    // sign.
    pairs.verdict = verdict_of(expected, pairs.differences);
    return pairs;
}

Comparison compare(const RunFigures& a, const RunFigures& b,
                   const std::vector<MovedConstant>& moved) {
    const StepComparer comparer(a, b);
    const StepFigures all_a = whole(a);
    const StepFigures all_b = whole(b);
    Comparison result{.a = title_of(a),
                      .b = title_of(b),
                      .is_same_clock = a.clock == b.clock,
                      .clock = a.clock,
                      .run = comparer.compare({&all_a, &all_b}),
                      .num_constants = 0};
    for (const StepPair& pair : match_steps(a.steps, b.steps)) {
        result.steps.push_back(comparer.compare(pair));
    }
    std::vector<std::string> keys;
    for (const MovedConstant& constant : moved) {
        keys.push_back(constant.key);
        const StepFigures moved_a = whole(constant.a);
        const StepFigures moved_b = whole(constant.b);
        comparer.move(constant, {&moved_a, &moved_b}, result.run);
        // Runs with a moved constant have the same steps, so pairs have the same indices as above.
        const std::vector<StepPair> pairs = match_steps(constant.a.steps, constant.b.steps);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            comparer.move(constant, pairs[i], result.steps.at(i));
        }
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    result.num_constants = keys.size();
    return result;
}

std::vector<StepPair> match_steps(const std::vector<StepFigures>& a,
                                  const std::vector<StepFigures>& b) {
    const std::vector<std::size_t> ordinals_a = ordinals_of(a);
    const std::vector<std::size_t> ordinals_b = ordinals_of(b);
    std::vector<bool> is_taken(b.size());
    std::vector<std::size_t> partner(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            if (a[i].name == b[j].name && ordinals_a[i] == ordinals_b[j]) {
                partner[i] = j;
                is_taken[j] = true;
            }
        }
    }
    std::vector<StepPair> pairs;
    std::size_t next_b = 0;
    // Steps that only B has keep their position relative to the common steps.
    const auto take_unmatched_before = [&](std::size_t end) {
        for (; next_b < end; ++next_b) {
            if (!is_taken[next_b]) {
                pairs.push_back({nullptr, &b[next_b]});
            }
        }
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (partner[i] != b.size()) {
            take_unmatched_before(partner[i]);
        }
        pairs.push_back({&a[i], partner[i] == b.size() ? nullptr : &b[partner[i]]});
    }
    take_unmatched_before(b.size());
    return pairs;
}

}  // namespace tessera::compare
