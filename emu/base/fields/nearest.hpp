// SPDX-License-Identifier: Apache-2.0
// Finds the known word nearest to a misspelt one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::config {

/// Returns the number of edits between two words (optimal string alignment). An edit inserts,
/// deletes or replaces a letter, or swaps two adjacent letters.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the known word with the smallest edit distance, the first of equals. `known` is not
/// empty.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> known);

/// Returns the largest edit distance of a plausible correction of `word`: a third of its letters,
/// to the nearest number.
[[nodiscard]] std::size_t far_distance(std::string_view word);

/// Returns at most `count` plausible corrections of `word`, nearest first; see plausible().
[[nodiscard]] std::vector<std::string> nearest_few(std::string_view word,
                                                   std::span<const std::string> known,
                                                   std::size_t count);

/// Returns the nearest word, or nothing if it is farther than far_distance: a dissimilar suggestion
/// misleads the reader. A known word that contains `word` is plausible ("n150"), and so is a path
/// whose last part is plausible.
[[nodiscard]] std::optional<std::string> plausible(std::string_view word,
                                                   std::span<const std::string> known);

/// Returns ", did you mean X?" if a known word is plausible, else ".".
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// Returns the end of a message about an unknown word: "did you mean X?" if a known word is
/// plausible, else "allowed: a, b, c", shortened to kMostAllowedShown words. `prefix` precedes each
/// word.
[[nodiscard]] std::string correction(std::string_view word, std::span<const std::string> known,
                                     std::string_view prefix = {});

/// Most allowed words that a message lists. A longer list hides the mistake in a terminal.
inline constexpr std::size_t kMostAllowedShown = 16;

}  // namespace tessera::config
