// SPDX-License-Identifier: Apache-2.0
// The known word nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::config {

/// The number of letters to insert, delete or replace (Levenshtein).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word with the least edit distance, the first of equals. `known` is not empty.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> known);

/// The largest edit distance at which a known word may be what `word` was meant to be: half of its
/// letters.
[[nodiscard]] std::size_t far_distance(std::string_view word);

/// At most `count` known words that `word` may have been meant to be, nearest first; the nearest
/// alone if all are farther than far_distance.
[[nodiscard]] std::vector<std::string> nearest_few(std::string_view word,
                                                   std::span<const std::string> known,
                                                   std::size_t count);

}  // namespace tessera::config
