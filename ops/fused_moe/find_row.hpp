// SPDX-License-Identifier: Apache-2.0
// The row of a table that has a name.
#pragma once

#include <algorithm>
#include <string_view>
#include <type_traits>

namespace tessera::ops::fused_moe {

/// Name of the public implementation that a row corresponds to, without what is different here:
/// "TritonExperts" of "TritonExperts, int8_w8a8".
[[nodiscard]] inline std::string_view public_name(std::string_view like) {
    for (const std::string_view end : {", ", " (", " with "}) {
        like = like.substr(0, like.find(end));
    }
    return like;
}

/// Finds a row by its name, its backend's, or the public name of the implementation that it
/// corresponds to. Several rows may have one public name; the one without a difference is
/// preferred, then the first.
/// @returns null if there is none.
template <class Table>
auto find_row(const Table& table, std::string_view name) -> decltype(table.data()) {
    using Row = std::remove_cvref_t<decltype(*table.data())>;
    auto found = std::ranges::find(table, name, &Row::name);
    if constexpr (requires(const Row& row) { row.backend; }) {
        if (found == table.end()) {
            found = std::ranges::find_if(
                table, [&](const Row& row) { return !row.backend.empty() && row.backend == name; });
        }
    }
    if constexpr (requires(const Row& row) { row.like; }) {
        if (found == table.end()) {
            found = std::ranges::find(table, name, &Row::like);
        }
        if (found == table.end()) {
            found = std::ranges::find(table, name,
                                      [](const Row& row) { return public_name(row.like); });
        }
    }
    return found == table.end() ? nullptr : &*found;
}

}  // namespace tessera::ops::fused_moe
