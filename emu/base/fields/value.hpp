// SPDX-License-Identifier: Apache-2.0
// YAML forms of the types of fields: parsed, shown, named.
#pragma once

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "emu/base/fields/node.hpp"
#include "emu/base/fields/units.hpp"
#include "tessera/tile.hpp"

namespace tessera::config {

/// Reason why a node is not a value of the expected type, and the location of the mistake.
struct Mistake {
    Origin origin;
    std::string text;  ///< the value found and what is allowed
};

template <class T>
using Parsed = std::variant<T, Mistake>;

/// JSON form of a value: in quotes, unchanged, or as a number in its base unit.
enum class JsonForm : std::uint8_t { Text, Literal, Quantity };

/// Value<T>: `parse` reads a node, `show` returns YAML, `allowed` is for tables and messages;
/// `kJson`. A field may have any type with a specialisation.
template <class T>
struct Value;

template <>
struct Value<bool> {
    static constexpr JsonForm kJson = JsonForm::Literal;
    [[nodiscard]] static Parsed<bool> parse(const Node& node);
    [[nodiscard]] static std::string show(bool value);
    [[nodiscard]] static std::string allowed();
};

/// Values of a whole number that has no limits of its own.
inline constexpr const char* kAllOf32Bits = "a whole number from 0 to 2^32 − 1";
inline constexpr const char* kAllOf64Bits = "a whole number from 0 to 2^64 − 1";

/// Parses plain decimal text that fits the type; refuses `nan` and `inf`.
template <class T>
requires(std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> ||
         std::same_as<T, double>) struct Value<T> {
    static constexpr JsonForm kJson = JsonForm::Literal;
    [[nodiscard]] static Parsed<T> parse(const Node& node);
    [[nodiscard]] static std::string show(T value) { return fmt::to_string(value); }
    [[nodiscard]] static std::string allowed() {
        if constexpr (std::integral<T>) {
            return sizeof(T) == 8 ? kAllOf64Bits : kAllOf32Bits;
        }
        return "a number";
    }
};

template <>
struct Value<std::string> {
    static constexpr JsonForm kJson = JsonForm::Text;
    [[nodiscard]] static Parsed<std::string> parse(const Node& node);
    [[nodiscard]] static std::string show(const std::string& value) { return value; }
    [[nodiscard]] static std::string allowed() { return "text"; }
};

using Numbers = std::vector<std::uint32_t>;

template <>
struct Value<Numbers> {
    static constexpr JsonForm kJson = JsonForm::Literal;
    [[nodiscard]] static Parsed<Numbers> parse(const Node& node);
    [[nodiscard]] static std::string show(const Numbers& value);
    [[nodiscard]] static std::string allowed() { return "a list of whole numbers"; }
};

using Words = std::vector<std::string>;

template <>
struct Value<Words> {
    static constexpr JsonForm kJson = JsonForm::Text;
    [[nodiscard]] static Parsed<Words> parse(const Node& node);
    [[nodiscard]] static std::string show(const Words& value);
    [[nodiscard]] static std::string allowed() { return "a list of words"; }
};

/// kPairForm<T>: notation of a struct of two numbers, its first member first.
template <class T>
inline constexpr std::string_view kPairForm;
template <>
inline constexpr std::string_view kPairForm<MeshShape> = "[rows, columns]";
template <>
inline constexpr std::string_view kPairForm<GridSize> = "[columns, rows]";
template <>
inline constexpr std::string_view kPairForm<CoreCoord> = "[x, y]";
template <>
inline constexpr std::string_view kPairForm<Subblock> = "[height, width]";

using NumberPair = std::array<std::uint32_t, 2>;
[[nodiscard]] Parsed<NumberPair> parse_pair(const Node& node, std::string_view form);

template <class T>
requires(!kPairForm<T>.empty()) struct Value<T> {
    static constexpr JsonForm kJson = JsonForm::Literal;
    [[nodiscard]] static Parsed<T> parse(const Node& node) {
        const auto pair = parse_pair(node, kPairForm<T>);
        if (const auto* mistake = std::get_if<Mistake>(&pair)) {
            return *mistake;
        }
        return T{std::get<NumberPair>(pair)[0], std::get<NumberPair>(pair)[1]};
    }
    [[nodiscard]] static std::string show(const T& value) {
        const auto [first, second] = value;
        return fmt::format("[{}, {}]", first, second);
    }
    [[nodiscard]] static std::string allowed() { return std::string(kPairForm<T>); }
};

template <>
struct Value<Tile> {
    static constexpr JsonForm kJson = JsonForm::Literal;
    [[nodiscard]] static Parsed<Tile> parse(const Node& node);
    [[nodiscard]] static std::string show(const Tile& value);
    [[nodiscard]] static std::string allowed() { return "[rows, columns]"; }
};

/// Returns the index of the name in `names`, or a Mistake that lists the names.
[[nodiscard]] Parsed<std::size_t> parse_choice(const Node& node,
                                               std::span<const std::string_view> names);
[[nodiscard]] std::string one_of(std::span<const std::string_view> names);

template <class E>
requires std::is_enum_v<E>
struct Value<E> {
    static constexpr JsonForm kJson = JsonForm::Text;

    [[nodiscard]] static Parsed<E> parse(const Node& node) {
        const auto choice = parse_choice(node, kNames);
        if (const auto* mistake = std::get_if<Mistake>(&choice)) {
            return *mistake;
        }
        return kEnumNames<E>[std::get<std::size_t>(choice)].second;
    }
    [[nodiscard]] static std::string show(E value) {
        for (const auto& [name, enumerator] : kEnumNames<E>) {
            if (enumerator == value) {
                return std::string(name);
            }
        }
        return "?";
    }
    [[nodiscard]] static std::string allowed() { return one_of(kNames); }

private:
    static constexpr auto kNames = [] {
        std::array<std::string_view, kEnumNames<E>.size()> names{};
        for (std::size_t i = 0; i < names.size(); ++i) {
            names[i] = kEnumNames<E>[i].first;
        }
        return names;
    }();
};

/// Yes: fractions of the base unit are refused.
enum class Whole : bool { No, Yes };
[[nodiscard]] Parsed<double> parse_quantity(const Node& node, std::span<const Unit> units,
                                            Whole whole);
[[nodiscard]] std::string show_quantity(double value, std::span<const Unit> units);
[[nodiscard]] std::string allowed_units(std::span<const Unit> units);

template <class Tag, class Number>
struct Value<Quantity<Tag, Number>> {
    using Q = Quantity<Tag, Number>;
    static constexpr JsonForm kJson = JsonForm::Quantity;

    [[nodiscard]] static Parsed<Q> parse(const Node& node) {
        constexpr auto kWhole = std::integral<Number> ? Whole::Yes : Whole::No;
        const auto number = parse_quantity(node, kUnits<Q>, kWhole);
        if (const auto* mistake = std::get_if<Mistake>(&number)) {
            return *mistake;
        }
        return Q{static_cast<Number>(std::get<double>(number))};
    }
    [[nodiscard]] static std::string show(const Q& value) {
        return show_quantity(static_cast<double>(value.value), kUnits<Q>);
    }
    [[nodiscard]] static std::string allowed() { return allowed_units(kUnits<Q>); }
};

}  // namespace tessera::config
