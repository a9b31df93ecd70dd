// SPDX-License-Identifier: Apache-2.0
// Names of enumerators at run time. Programs print the vendor's enumerations with fmt and streams.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tt::names {

/// Range of values that are searched, as in the vendor's library for enumerations.
inline constexpr int kFewest = -128;
inline constexpr int kMost = 256;

// The compiler prints an enumerator by its name, and any other value as a cast of a number.
template <auto Value>
[[nodiscard]] constexpr std::string_view name_of_value() noexcept {
    constexpr std::string_view kStart = "Value = ";
    const std::string_view text = __PRETTY_FUNCTION__;
    const std::size_t begin = text.find(kStart) + kStart.size();
    const std::string_view value = text.substr(begin, text.find_first_of(";]", begin) - begin);
    if (value.empty() || value.front() == '(' || value.front() == '-' ||
        (value.front() >= '0' && value.front() <= '9')) {
        return {};
    }
    const std::size_t colons = value.rfind("::");
    return colons == std::string_view::npos ? value : value.substr(colons + 2);
}

template <class E>
[[nodiscard]] constexpr bool can_hold(int value) noexcept {
    using Number = std::underlying_type_t<E>;
    return static_cast<long long>(static_cast<Number>(value)) == value;
}

template <class E, int Value>
[[nodiscard]] constexpr std::string_view name_at() noexcept {
    if constexpr (can_hold<E>(Value)) {
        return name_of_value<static_cast<E>(Value)>();
    } else {
        return {};
    }
}

template <class E, int... Offsets>
[[nodiscard]] constexpr auto all_names(std::integer_sequence<int, Offsets...> /*offsets*/) {
    // The size is explicit: to deduce it, clang would fold over all values, and it folds at most
    // 256.
    return std::array<std::string_view, sizeof...(Offsets)>{name_at<E, kFewest + Offsets>()...};
}

/// Names of an enumeration's values from kFewest on; empty where there is no enumerator.
template <class E>
inline constexpr auto kNames = all_names<E>(std::make_integer_sequence<int, kMost - kFewest>());

/// Returns the name of an enumerator, or "" if the value has none.
template <class E>
[[nodiscard]] constexpr std::string_view enum_name(E value) noexcept {
    const auto index = static_cast<long long>(value) - kFewest;
    return index >= 0 && index < kMost - kFewest ? kNames<E>[static_cast<std::size_t>(index)]
                                                 : std::string_view{};
}

/// True if fmt and streams print values of `E` by name, as for the enumerations of these headers.
template <class E>
inline constexpr bool kIsPrinted = false;

}  // namespace tt::names

template <class E>
struct fmt::formatter<E, char, std::enable_if_t<tt::names::kIsPrinted<E>>>
    : fmt::formatter<std::string_view> {
    template <class Context>
    auto format(E value, Context& context) const {
        return fmt::formatter<std::string_view>::format(tt::names::enum_name(value), context);
    }
};
