// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_result.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera::sweep {
namespace {

std::optional<std::pair<double, std::string>> number_of(const std::string& value) {
    double number = 0;
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc()) {
        return std::nullopt;
    }
    return std::pair(number, std::string(rest, end));
}

/// Returns whether values are numbers of one unit, which have an order on an axis.
bool are_numbers(const std::vector<std::string>& values) {
    const auto first = values.empty() ? std::nullopt : number_of(values.front());
    return first && std::ranges::all_of(values, [&](const std::string& value) {
               const auto number = number_of(value);
               return number && number->second == first->second;
           });
}

struct TimeOfValue {
    std::size_t value = 0;  ///< index into the axis
    double time = 0;
};
using KeyGroup = std::vector<TimeOfValue>;

/// Groups points by the values of all other keys than `key`. Points without a value for `key` are
/// in no group.
std::map<std::vector<std::string>, KeyGroup> key_groups_of(const SweepResult& result,
                                                           const std::vector<Ranked>& ranked,
                                                           std::size_t key, const Axis& axis) {
    std::map<std::vector<std::string>, KeyGroup> groups;
    for (const Ranked& entry : ranked) {
        // Without `key` the rest is the name of the group.
        std::vector<std::string> rest = value_labels_of(result, entry.point);
        const auto at = std::ranges::find(axis.values, std::exchange(rest[key], ""));
        if (at != axis.values.end()) {
            groups[rest].push_back(
                {static_cast<std::size_t>(at - axis.values.begin()), entry.time.expected});
        }
    }
    return groups;
}

KeyEffect effect_of(const SweepResult& result, const std::vector<Ranked>& ranked, std::size_t key) {
    KeyEffect effect{.axis = axis_of(result, key)};
    effect.wins.resize(effect.axis.values.size());
    double log_sum = 0;
    for (auto& [rest, group] : key_groups_of(result, ranked, key, effect.axis)) {
        std::ranges::sort(group, {}, &TimeOfValue::value);
        const auto [fastest, slowest] = std::ranges::minmax_element(group, {}, &TimeOfValue::time);
        // A point without a partner says nothing about the key.
        if (group.size() < 2 || fastest->time <= 0) {
            continue;
        }
        const double factor = slowest->time / fastest->time;
        ++effect.num_groups;
        ++effect.wins[fastest->value];
        effect.most = std::max(effect.most, factor);
        log_sum += std::log(factor);
    }
    if (effect.num_groups > 0) {
        // The geometric mean, since factors multiply: 2 and 1/2 cancel.
        effect.mean = std::exp(log_sum / static_cast<double>(effect.num_groups));
    }
    return effect;
}

using compare::Nanoseconds;
using compare::RunFigures;
using compare::StepFigures;

constexpr const char* kWholeRun = "run";

Nanoseconds nanoseconds(const PredictedTime& time, Hertz clock) {
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

/// Ranked time of a run, and its parts by bound.
struct Counted {
    compare::TimeOfRun time;
    const compare::TimeByName& spent;
};

Counted count(const RunFigures& run, const std::string& rank_by) {
    if (rank_by == kWholeRun) {
        return {{run.time, run.ensemble, run.clock}, run.path.bounds};
    }
    const auto step = std::ranges::find(run.steps, rank_by, &StepFigures::name);
    require(step != run.steps.end(), "sweep.rank_by: unknown step {}, allowed: {}", rank_by,
            fmt::join(step_names(run), ", "));
    return {{step->time, step->ensemble, run.clock}, step->path.bounds};
}

/// Returns the largest part of a path with its share: "DRAM 43 %".
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

/// Returns whether the last `count` parts of a key differ from those of all other keys.
bool is_only(const std::vector<std::string>& keys, std::size_t index, std::size_t count) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i != index && last_parts(keys[i], count) == last_parts(keys[index], count)) {
            return false;
        }
    }
    return true;
}

// Returns the point's values of keys [begin, end) as text.
std::string joined(const SweepResult& result, std::size_t point, std::size_t begin,
                   std::size_t end) {
    std::vector<std::string> parts;
    const std::vector<std::string> values = value_labels_of(result, point);
    for (std::size_t i = begin; i < end; ++i) {
        if (!values[i].empty()) {
            parts.push_back(result.labels.at(i) + " " + values[i]);
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<Ranked> ranking(const SweepResult& result) {
    std::vector<Ranked> ranked;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        if (result.points[i].figures) {
            const Counted counted = count(*result.points[i].figures, result.rank_by);
            ranked.push_back({.point = i,
                              .time = nanoseconds(counted.time.time, counted.time.clock),
                              .bound = bound_of(counted.spent)});
        }
    }
    const auto case_of = [&](const Ranked& entry) { return result.points[entry.point].case_index; };
    // Stable: points of equal time keep the order of the file, at any number of threads.
    std::ranges::stable_sort(ranked, {}, [&](const Ranked& entry) {
        return std::pair(case_of(entry), entry.time.expected);
    });
    const auto counted = [&](const Ranked& entry) {
        return count(*result.points[entry.point].figures, result.rank_by).time;
    };
    const Ranked* best = nullptr;
    for (Ranked& entry : ranked) {
        if (best == nullptr || case_of(*best) != case_of(entry)) {
            best = &entry;
        }
        // Ranks and verdicts are relative to the best point of the same case: other cases do other
        // work.
        entry.rank = static_cast<std::size_t>(&entry - best) + 1;
        entry.of_best =
            best->time.expected > 0 ? entry.time.expected / best->time.expected : entry.of_best;
        const auto pairs = compare::paired_difference(counted(*best), counted(entry));
        entry.verdict = pairs.verdict;
    }
    return ranked;
}

double counted_time(const SweepResult& result, const RunFigures& run) {
    const Counted counted = count(run, result.rank_by);
    return nanoseconds(counted.time.time, run.clock).expected;
}

std::string of_best_text(const Ranked& entry) {
    // "1.00" for a slower point would look like the best.
    return entry.of_best > 1 && entry.of_best < 1.005 ? fmt::format("{:.5f}", entry.of_best)
                                                      : fmt::format("{:.2f}", entry.of_best);
}

std::string word_of(const Ranked& entry) {
    return entry.rank == 1 ? "best" : text_of(entry.verdict);
}

std::vector<std::string> keys_of(const config::LoadedSweep& sweep) {
    std::vector<std::string> keys;
    const auto add = [&](const config::SweepSettings& settings) {
        for (const config::Override& setting : settings) {
            if (std::ranges::find(keys, setting.path) == keys.end()) {
                keys.push_back(setting.path);
            }
        }
    };
    std::ranges::for_each(sweep.sweep.cases, add);
    for (const config::SweepPoint& point : sweep.points) {
        add(point.settings);
    }
    return keys;
}

std::vector<std::string> labels_of(const std::vector<std::string>& keys) {
    std::vector<std::string> labels;
    // Last parts of a key are added until it differs from all others: `grid`, or `gate.set.grid`.
    for (std::size_t i = 0; i < keys.size(); ++i) {
        std::size_t count = 1;
        while (count < parts_of(keys[i]).size() && !is_only(keys, i, count)) {
            ++count;
        }
        labels.push_back(last_parts(keys[i], count));
    }
    return labels;
}

const std::string& label_of(const SweepResult& result, const std::string& value) {
    const auto found = result.value_labels.find(value);
    return found == result.value_labels.end() ? value : found->second;
}

std::vector<std::string> value_labels_of(const SweepResult& result, std::size_t point) {
    std::vector<std::string> labels;
    for (const std::string& value : result.points.at(point).values) {
        labels.push_back(label_of(result, value));
    }
    return labels;
}

std::string name_of(const SweepResult& result, std::size_t point) {
    return joined(result, point, result.num_case_keys, result.keys.size());
}

std::string case_name_of(const SweepResult& result, std::size_t point) {
    return joined(result, point, 0, result.num_case_keys);
}

std::string full_name_of(const SweepResult& result, std::size_t point) {
    const std::string& given = result.cases.at(result.points.at(point).case_index);
    return given.empty() ? name_of(result, point) : given + ": " + name_of(result, point);
}

Axis axis_of(const SweepResult& result, std::size_t key) {
    Axis axis;
    for (const PointResult& point : result.points) {
        const std::string& value = label_of(result, point.values[key]);
        if (!value.empty() && std::ranges::find(axis.values, value) == axis.values.end()) {
            axis.values.push_back(value);
        }
    }
    // Numbers of one unit are sorted and drawn as lines; names keep the order of the file and are
    // drawn as dots.
    if (are_numbers(axis.values)) {
        axis.kind = AxisKind::Numbers;
        std::ranges::stable_sort(axis.values, {},
                                 [](const std::string& value) { return number_of(value)->first; });
    }
    return axis;
}

std::vector<KeyEffect> effects_of(const SweepResult& result, const std::vector<Ranked>& ranked) {
    std::vector<KeyEffect> effects;
    for (std::size_t key = 0; key < result.keys.size(); ++key) {
        effects.push_back(effect_of(result, ranked, key));
    }
    return effects;
}

}  // namespace tessera::sweep
