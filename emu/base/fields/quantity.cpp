// SPDX-License-Identifier: Apache-2.0
// Numbers with a unit, and words from a list.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "emu/base/fields/value.hpp"
#include "emu/base/refusal.hpp"

namespace tessera::config {
namespace {

/// Returns "a", "a or b", "a, b or c".
std::string listed(std::span<const std::string_view> names) {
    if (names.size() == 1) {
        return std::string(names.front());
    }
    return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

std::vector<std::string_view> names_of(std::span<const Unit> units) {
    std::vector<std::string_view> names;
    for (const Unit& unit : units) {
        names.push_back(unit.name);
    }
    return names;
}

Mistake bad_unit(const Node& node, std::string_view unit, std::span<const Unit> units) {
    const std::string allowed = listed(names_of(units));
    if (unit.empty()) {
        return {node.origin, refusal(describe(node) + " has no unit", allowed)};
    }
    return {node.origin,
            refusal(fmt::format("{} has the unit '{}'", describe(node), unit), allowed)};
}

}  // namespace

std::string one_of(std::span<const std::string_view> names) {
    return listed(names);
}

Parsed<std::size_t> parse_choice(const Node& node, std::span<const std::string_view> names) {
    const auto found = std::ranges::find(names, node.text);
    if (node.kind != NodeKind::Scalar || found == names.end()) {
        return Mistake{node.origin,
                       fmt::format("expected {}, found {}", listed(names), describe(node))};
    }
    return static_cast<std::size_t>(found - names.begin());
}

Parsed<double> parse_quantity(const Node& node, std::span<const Unit> units, Whole whole) {
    double number = 0;
    const char* const end = node.text.data() + node.text.size();
    const auto [stop, error] = std::from_chars(node.text.data(), end, number);
    if (node.kind != NodeKind::Scalar || error != std::errc{} || !std::isfinite(number)) {
        return Mistake{node.origin,
                       fmt::format("expected {}, found {}", allowed_units(units), describe(node))};
    }
    std::string_view name(stop, static_cast<std::size_t>(end - stop));
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    const auto unit = std::ranges::find(units, name, &Unit::name);
    if (unit == units.end()) {
        return bad_unit(node, name, units);
    }
    const double value = number * unit->factor;
    if (value < 0) {
        return Mistake{node.origin, describe(node) + " is negative"};
    }
    constexpr double kLargestExact = 9007199254740992.0;  // 2^53
    if (whole == Whole::Yes && (std::trunc(value) != value || value > kLargestExact)) {
        return Mistake{node.origin, fmt::format("{} is not a whole number of {} up to 2^53",
                                                describe(node), units.front().name)};
    }
    return value;
}

std::string show_quantity(double value, std::span<const Unit> units) {
    // Selects the largest unit that leaves at most three decimals; bytes stay whole.
    const double steps = units.front().name == "B" ? 1 : 1000;
    const Unit* best = &units.front();
    for (const Unit& unit : units) {
        const double scaled = value / unit.factor;
        if (scaled >= 1 && std::abs(scaled * steps - std::round(scaled * steps)) < 1e-9) {
            best = &unit;
        }
    }
    // Removes the rounding error of the division: 5 us, not 5.000000000000001 us.
    const double scaled = value / best->factor;
    const double rounded = std::round(scaled * steps) / steps;
    return fmt::format("{} {}", std::abs(scaled - rounded) * steps < 1e-9 ? rounded : scaled,
                       best->name);
}

std::string allowed_units(std::span<const Unit> units) {
    return "a number in " + listed(names_of(units));
}

}  // namespace tessera::config
