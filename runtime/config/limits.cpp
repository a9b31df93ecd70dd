// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "emu/base/refusal.hpp"

namespace tessera::config {
namespace {

/// Returns whether all numbers of a value are within the limits: a pair such as a grid has one
/// limit for both extents.
bool is_within(const nlohmann::json& value, const Limits& limits) {
    if (value.is_array()) {
        for (const auto& element : value) {
            if (!is_within(element, limits)) {
                return false;
            }
        }
        return true;
    }
    const auto number = value.get<double>();
    const bool is_listed =
        limits.values.empty() || std::ranges::find(limits.values, number) != limits.values.end();
    const bool is_multiple = limits.multiple_of == 0 || std::fmod(number, limits.multiple_of) == 0;
    return is_listed && is_multiple && number >= limits.least && number <= limits.most;
}

std::string show_bounds(const Limits& limits) {
    const bool has_least = std::isfinite(limits.least);
    if (has_least && std::isfinite(limits.most)) {
        return fmt::format("{} to {}", limits.least, limits.most);
    }
    if (has_least) {
        return fmt::format("{} or more", limits.least);
    }
    return std::isfinite(limits.most) ? fmt::format("{} or less", limits.most) : "";
}

}  // namespace

std::string show_limits(const Limits& limits) {
    if (!limits.values.empty()) {
        return fmt::format("{} or {}",
                           fmt::join(limits.values.begin(), limits.values.end() - 1, ", "),
                           limits.values.back());
    }
    const std::string bounds = show_bounds(limits);
    return limits.multiple_of == 0 ? bounds
                                   : fmt::format("{}{}a multiple of {}", bounds,
                                                 bounds.empty() ? "" : ", ", limits.multiple_of);
}

std::optional<Mistake> check_limits(const Field& field, const Node& node, const void* object) {
    const std::string allowed = show_limits(field.limits);
    // A word that a key allows in addition to numbers ("op") has no limits.
    // Limits apply to the number in base units, whatever unit the file uses.
    const auto number = nlohmann::json::parse(field.number(object), nullptr, false);
    if (allowed.empty() || number.is_discarded() || is_within(number, field.limits)) {
        return std::nullopt;
    }
    const std::string unit = field.unit.empty() ? "" : " " + std::string(field.unit);
    return Mistake{node.origin, refusal(field.show(object) + " is out of range", allowed + unit)};
}

ResolvedValue resolve(const Field& field, const Node& node, const void* object,
                      const std::string& path) {
    const std::string number = field.number(object);
    // Words and unlimited numbers ("inf") are not JSON numbers.
    const bool is_text = field.json == JsonForm::Text || !nlohmann::json::accept(number);
    return {.path = path,
            .text = field.show(object),
            .json = is_text ? nlohmann::json(number).dump() : number,
            .unit = std::string(field.unit),
            .origin = node.origin,
            .fact = std::nullopt};
}

}  // namespace tessera::config
