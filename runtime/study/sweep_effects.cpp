// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_effects.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace tessera::sweep {
namespace {

/// A value as number and unit; none if it does not begin with a number.
std::optional<std::pair<double, std::string>> number_of(const std::string& value) {
    double number = 0;
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc()) {
        return std::nullopt;
    }
    return std::pair(number, std::string(rest, end));
}

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
using Group = std::vector<TimeOfValue>;

/// Groups by the values of all keys but `key`, which points without a value for it are in none of.
std::map<std::vector<std::string>, Group> groups_of(const SweepResult& result,
                                                    const std::vector<Ranked>& ranked,
                                                    std::size_t key, const Axis& axis) {
    std::map<std::vector<std::string>, Group> groups;
    for (const Ranked& entry : ranked) {
        std::vector<std::string> rest = result.points[entry.point].values;
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
    for (auto& [rest, group] : groups_of(result, ranked, key, effect.axis)) {
        std::ranges::sort(group, {}, &TimeOfValue::value);
        const auto [fastest, slowest] = std::ranges::minmax_element(group, {}, &TimeOfValue::time);
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
        effect.mean = std::exp(log_sum / static_cast<double>(effect.num_groups));
    }
    return effect;
}

}  // namespace

Axis axis_of(const SweepResult& result, std::size_t key) {
    Axis axis;
    for (const PointResult& point : result.points) {
        const std::string& value = point.values[key];
        if (!value.empty() && std::ranges::find(axis.values, value) == axis.values.end()) {
            axis.values.push_back(value);
        }
    }
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
