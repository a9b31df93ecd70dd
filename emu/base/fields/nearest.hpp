// SPDX-License-Identifier: Apache-2.0
// The known word nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera::config {

/// The number of letters to insert, delete or replace (Levenshtein).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word with the least edit distance, the first of equals. `known` is not empty.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> known);

}  // namespace tessera::config
