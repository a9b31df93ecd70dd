// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/sweep_result.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "tessera/errors.hpp"

namespace tessera::sweep {
namespace {

using compare::Nanoseconds;
using compare::RunFigures;
using compare::StepFigures;

constexpr const char* kWholeRun = "run";

Nanoseconds nanoseconds(const report::PredictedTime& time, Hertz clock) {
    const double factor = 1e6 / clock.value;
    return {static_cast<double>(time.low) * factor, static_cast<double>(time.expected) * factor,
            static_cast<double>(time.high) * factor};
}

std::vector<std::string> step_names(const RunFigures& run) {
    std::vector<std::string> names{kWholeRun};
    for (const StepFigures& step : run.steps) {
        names.push_back(step.name);
    }
    return names;
}

/// Steps that the ranking counts, and their time.
struct Counted {
    Nanoseconds time;
    compare::TimeByName spent;  ///< on resources, or on activities where nothing travels
};

Counted count(const RunFigures& run, const std::string& rank_by) {
    if (rank_by == kWholeRun) {
        return {nanoseconds(run.time, run.clock), run.path.bounds};
    }
    const auto step = std::ranges::find(run.steps, rank_by, &StepFigures::name);
    require(step != run.steps.end(), "sweep.rank_by: {} is no step, allowed: {}", rank_by,
            fmt::join(step_names(run), ", "));
    return {nanoseconds(step->time, run.clock), step->path.bounds};
}

std::string bound_of(const compare::TimeByName& spent) {
    Millicycles total = 0;
    const std::pair<const std::string, Millicycles>* largest = nullptr;
    for (const auto& part : spent) {
        total += part.second;
        largest = largest == nullptr || part.second > largest->second ? &part : largest;
    }
    if (largest == nullptr || total <= 0) {
        return "";
    }
    return fmt::format("{} {:.0f} %", largest->first,
                       100 * static_cast<double>(largest->second) / static_cast<double>(total));
}

compare::Verdict slower_than(const Nanoseconds& best, const Nanoseconds& time) {
    return compare::verdict_over(
        {time.low - best.low, time.expected - best.expected, time.high - best.high});
}

std::vector<std::string> parts_of(const std::string& key) {
    std::vector<std::string> parts{""};
    for (const char letter : key) {
        if (letter == '.') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return parts;
}

std::string last_parts(const std::string& key, std::size_t count) {
    const std::vector<std::string> parts = parts_of(key);
    const std::size_t first = parts.size() - std::min(count, parts.size());
    return fmt::format(
        "{}", fmt::join(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end(), "."));
}

bool is_only(const std::vector<std::string>& keys, std::size_t index, std::size_t count) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i != index && last_parts(keys[i], count) == last_parts(keys[index], count)) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::vector<Ranked> ranking(const SweepResult& result) {
    std::vector<Ranked> ranked;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        if (result.points[i].figures) {
            const Counted counted = count(*result.points[i].figures, result.rank_by);
            ranked.push_back({i, counted.time, compare::Verdict::Equal, bound_of(counted.spent)});
        }
    }
    std::ranges::stable_sort(ranked, {}, [](const Ranked& entry) { return entry.time.expected; });
    for (Ranked& entry : ranked) {
        entry.verdict = slower_than(ranked.front().time, entry.time);
    }
    return ranked;
}

std::vector<std::string> keys_of(const config::LoadedSweep& sweep) {
    std::vector<std::string> keys;
    for (const config::SweepPoint& point : sweep.points) {
        for (const config::Override& setting : point.settings) {
            if (std::ranges::find(keys, setting.path) == keys.end()) {
                keys.push_back(setting.path);
            }
        }
    }
    return keys;
}

std::vector<std::string> labels_of(const std::vector<std::string>& keys) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::size_t count = 1;
        while (count < parts_of(keys[i]).size() && !is_only(keys, i, count)) {
            ++count;
        }
        labels.push_back(last_parts(keys[i], count));
    }
    return labels;
}

std::string name_of(const SweepResult& result, std::size_t point) {
    std::vector<std::string> parts;
    const std::vector<std::string>& values = result.points.at(point).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i].empty()) {
            parts.push_back(result.labels.at(i) + " " + values[i]);
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tessera::sweep
