// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/sweep_value.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

namespace tessera::config {
namespace {

Mistake expected(const Node& node, std::string_view what) {
    return {node.origin, fmt::format("expected {}, found {}", what, describe(node))};
}

/// Returns a point's value as an override, whose origin is the value's line in the file.
Override override_of(const std::string& path, const Node& value) {
    return {path, to_yaml(value), to_string(value.origin)};
}

/// Refuses a value that occurs twice: the two points would be the same, and rank as ties.
std::optional<Mistake> repeated(const std::string& path, const std::vector<Node>& values) {
    std::unordered_map<std::string, const Node*> seen;
    for (const Node& value : values) {
        const auto [first, is_new] = seen.try_emplace(to_yaml(value), &value);
        if (!is_new) {
            return Mistake{value.origin,
                           fmt::format("{} is {} twice, first at {}", path, first->first,
                                       to_string(first->second->origin))};
        }
    }
    return std::nullopt;
}

/// Returns a key with its values; an empty list would make the grid empty.
Parsed<SweepAxis> parse_axis(const Entry& entry) {
    const Node& values = entry.value;
    if (values.kind != NodeKind::Sequence || values.elements.empty()) {
        return expected(values, fmt::format("a list of values of {}", entry.key));
    }
    if (const auto mistake = repeated(entry.key, values.elements)) {
        return *mistake;
    }
    SweepAxis axis{entry.key, {}};
    for (const Node& value : values.elements) {
        // Values become overrides, so that a point has the checks and messages of `--set`.
        axis.values.push_back(override_of(entry.key, value));
    }
    return axis;
}

/// Returns a point as YAML, for `explain` and reports. SweepSettings are few keys, so that flow
/// style keeps a point on one line.
std::string show_settings(const SweepSettings& settings) {
    std::vector<std::string> parts;
    for (const Override& setting : settings) {
        parts.push_back(setting.path + ": " + setting.value);
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

Parsed<SweepAxes> Value<SweepAxes>::parse(const Node& node) {
    if (node.kind != NodeKind::Map) {
        return expected(node, allowed());
    }
    SweepAxes axes;
    for (const Entry& entry : node.entries) {
        auto axis = parse_axis(entry);
        if (const auto* mistake = std::get_if<Mistake>(&axis)) {
            return *mistake;
        }
        axes.push_back(std::get<SweepAxis>(std::move(axis)));
    }
    return axes;
}

std::string Value<SweepAxes>::show(const SweepAxes& axes) {
    std::vector<std::string> parts;
    for (const SweepAxis& axis : axes) {
        std::vector<std::string> values;
        for (const Override& value : axis.values) {
            values.push_back(value.value);
        }
        parts.push_back(fmt::format("{}: [{}]", axis.path, fmt::join(values, ", ")));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

Parsed<SweepPoints> Value<SweepPoints>::parse(const Node& node) {
    if (node.kind != NodeKind::Sequence) {
        return expected(node, allowed());
    }
    if (const auto mistake = repeated("a point", node.elements)) {
        return *mistake;
    }
    SweepPoints points;
    for (const Node& point : node.elements) {
        if (point.kind != NodeKind::Map || point.entries.empty()) {
            return expected(point, "a point {key.path: value, …}");
        }
        points.emplace_back();
        for (const Entry& entry : point.entries) {
            points.back().push_back(override_of(entry.key, entry.value));
        }
    }
    return points;
}

std::string Value<SweepPoints>::show(const SweepPoints& points) {
    std::vector<std::string> parts;
    for (const SweepSettings& settings : points) {
        parts.push_back(show_settings(settings));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace tessera::config
