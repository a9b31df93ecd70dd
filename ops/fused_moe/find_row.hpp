// SPDX-License-Identifier: Apache-2.0
// The row of a table that has a name.
#pragma once

#include <algorithm>
#include <string_view>

namespace tessera::ops::fused_moe {

/// @returns null if there is none.
template <class Table>
auto find_row(const Table& table, std::string_view name) -> decltype(table.data()) {
    const auto found = std::ranges::find(table, name, [](const auto& row) { return row.name; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace tessera::ops::fused_moe
