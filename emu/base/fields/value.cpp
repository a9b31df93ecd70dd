// SPDX-License-Identifier: Apache-2.0
#include "emu/base/fields/value.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "emu/base/refusal.hpp"

namespace tessera::config {
namespace {

Mistake expected(const Node& node, std::string_view what) {
    return {node.origin, fmt::format("expected {}, found {}", what, describe(node))};
}

/// Parses plain text that is entirely a number.
template <class Number>
std::optional<Number> number_in(const Node& node) {
    Number number{};
    const char* const end = node.text.data() + node.text.size();
    const auto [stop, error] = std::from_chars(node.text.data(), end, number);
    const bool is_number = node.kind == NodeKind::Scalar && node.style == ScalarStyle::Plain &&
                           error == std::errc{} && stop == end;
    return is_number && std::isfinite(static_cast<double>(number)) ? std::optional(number)
                                                                   : std::nullopt;
}

template <class Number>
Parsed<Number> parse_number(const Node& node) {
    const auto number = number_in<Number>(node);
    if (!number) {
        return expected(node, Value<Number>::allowed());
    }
    return *number;
}

}  // namespace

Parsed<bool> Value<bool>::parse(const Node& node) {
    const bool is_plain = node.kind == NodeKind::Scalar && node.style == ScalarStyle::Plain;
    if (!is_plain || (node.text != "true" && node.text != "false")) {
        return expected(node, allowed());
    }
    return node.text == "true";
}

std::string Value<bool>::show(bool value) {
    return value ? "true" : "false";
}

std::string Value<bool>::allowed() {
    return "true or false";
}

template <>
Parsed<std::uint32_t> Value<std::uint32_t>::parse(const Node& node) {
    return parse_number<std::uint32_t>(node);
}

template <>
Parsed<std::uint64_t> Value<std::uint64_t>::parse(const Node& node) {
    return parse_number<std::uint64_t>(node);
}

template <>
Parsed<double> Value<double>::parse(const Node& node) {
    return parse_number<double>(node);
}

Parsed<std::string> Value<std::string>::parse(const Node& node) {
    if (node.kind != NodeKind::Scalar || node.text.empty()) {
        return expected(node, allowed());
    }
    return node.text;
}

Parsed<Numbers> Value<Numbers>::parse(const Node& node) {
    if (node.kind != NodeKind::Sequence) {
        return expected(node, allowed());
    }
    Numbers numbers;
    for (const Node& element : node.elements) {
        const auto number = number_in<std::uint32_t>(element);
        if (!number) {
            return expected(element, "a whole number as an element");
        }
        numbers.push_back(*number);
    }
    return numbers;
}

std::string Value<Numbers>::show(const Numbers& value) {
    return fmt::format("[{}]", fmt::join(value, ", "));
}

Parsed<Words> Value<Words>::parse(const Node& node) {
    if (node.kind != NodeKind::Sequence || node.elements.empty()) {
        return expected(node, allowed());
    }
    Words words;
    for (const Node& element : node.elements) {
        if (element.kind != NodeKind::Scalar) {
            return expected(element, "a word as an element");
        }
        words.push_back(element.text);
    }
    return words;
}

std::string Value<Words>::show(const Words& value) {
    return fmt::format("[{}]", fmt::join(value, ", "));
}

Parsed<NumberPair> parse_pair(const Node& node, std::string_view form) {
    if (node.kind != NodeKind::Sequence || node.elements.size() != 2) {
        return expected(node, form);
    }
    NumberPair pair{};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto number = number_in<std::uint32_t>(node.elements[i]);
        if (!number) {
            return expected(node.elements[i], fmt::format("a whole number in {}", form));
        }
        pair[i] = *number;
    }
    return pair;
}

Parsed<Tile> Value<Tile>::parse(const Node& node) {
    const auto pair = parse_pair(node, allowed());
    if (const auto* mistake = std::get_if<Mistake>(&pair)) {
        return *mistake;
    }
    const auto shape = std::get<NumberPair>(pair);
    if (!Tile::exists(shape)) {
        return Mistake{node.origin,
                       refusal(fmt::format("[{}, {}]", shape[0], shape[1]), Tile::kAllowed)};
    }
    return Tile(shape);
}

std::string Value<Tile>::show(const Tile& value) {
    return fmt::format("[{}, {}]", value.get_height(), value.get_width());
}

}  // namespace tessera::config
