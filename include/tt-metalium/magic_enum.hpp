// SPDX-License-Identifier: Apache-2.0
// Functions of the library for enumerations that is part of the vendor's package.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tt-metalium/enum_name.hpp"

namespace magic_enum {

/// Returns the name of an enumerator, or "".
template <class E>
[[nodiscard]] constexpr std::string_view enum_name(E value) noexcept {
    return tt::names::enum_name(value);
}

/// Returns the enumerators in order of their values.
template <class E>
[[nodiscard]] std::vector<E> enum_values() {
    std::vector<E> values;
    for (int i = tt::names::kFewest; i < tt::names::kMost; ++i) {
        if (tt::names::can_hold<E>(i) && !enum_name(static_cast<E>(i)).empty()) {
            values.push_back(static_cast<E>(i));
        }
    }
    return values;
}

template <class E>
[[nodiscard]] std::size_t enum_count() {
    return enum_values<E>().size();
}

/// Returns the enumerator with a name.
template <class E>
[[nodiscard]] std::optional<E> enum_cast(std::string_view name) {
    for (const E value : enum_values<E>()) {
        if (enum_name(value) == name) {
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace magic_enum
