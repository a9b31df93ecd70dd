// SPDX-License-Identifier: Apache-2.0
#include "emu/base/fields/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

namespace tessera::config {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    std::vector<std::size_t> above = row;
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::vector<std::size_t> next{i + 1};
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = row[j] + (a[i] == b[j] ? 0 : 1);
            next.push_back(std::min({replaced, row[j + 1] + 1, next[j] + 1}));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
                next[j + 1] = std::min(next[j + 1], above[j - 1] + 1);
            }
        }
        above = std::exchange(row, std::move(next));
    }
    return row.back();
}

std::size_t far_distance(std::string_view word) {
    return (word.size() + 1) / 3;
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
    return *std::ranges::min_element(
        known, {}, [&](const std::string& candidate) { return edit_distance(word, candidate); });
}

namespace {

/// Returns what tells two keys of one map apart: Q and M of params.Q and params.M. Else both words.
std::pair<std::string_view, std::string_view> own_parts(std::string_view word,
                                                        std::string_view known) {
    const std::size_t begin = word.rfind('.') + 1;
    return known.starts_with(word.substr(0, begin))
               ? std::pair(word.substr(begin), known.substr(begin))
               : std::pair(word, known);
}

/// Returns the edit distance of a known word, or less if people shorten it to `word`.
std::size_t distance_of_short_form(std::string_view of_user, std::string_view of_list) {
    const auto [word, known] = own_parts(of_user, of_list);
    constexpr std::size_t kFewestLetters = 3;  // shorter words are in many others
    const bool contains =
        word.size() >= kFewestLetters && known.find(word) != std::string_view::npos;
    const std::string_view last = known.substr(known.rfind('/') + 1);
    const std::size_t distance = std::min(edit_distance(word, known), edit_distance(word, last));
    // The farthest that is plausible: a misspelt word of the same length is likelier.
    return contains ? std::min(distance, far_distance(word)) : distance;
}

/// Returns whether the lengths alone rule a likeness out. A key may have thousands of letters.
bool differ_in_length(std::string_view word, std::string_view known) {
    const std::size_t more = std::max(word.size(), known.size());
    return more - std::min(word.size(), known.size()) > far_distance(word);
}

bool is_plausible(std::string_view of_user, std::string_view of_list) {
    const auto [word, known] = own_parts(of_user, of_list);
    if (differ_in_length(word, known) &&
        differ_in_length(word, known.substr(known.rfind('/') + 1)) &&
        known.find(word) == std::string_view::npos) {
        return false;
    }
    return distance_of_short_form(of_user, of_list) <= far_distance(word);
}

/// Order of suggestions. If a word is a short form of several known ones, the nearest spelling comes
/// first: for `row`, `rows` comes before `grid.rows`.
struct Rank {
    std::size_t distance = 0;
    std::size_t edits = 0;

    auto operator<=>(const Rank&) const = default;
};
Rank rank_of(std::string_view word, std::string_view known) {
    return {distance_of_short_form(word, known), edit_distance(word, known)};
}

}  // namespace

std::vector<std::string> nearest_few(std::string_view word, std::span<const std::string> known,
                                     std::size_t count) {
    std::vector<std::pair<Rank, std::string>> ranked;
    for (const std::string& candidate : known) {
        if (is_plausible(word, candidate)) {
            ranked.emplace_back(rank_of(word, candidate), candidate);
        }
    }
    std::ranges::stable_sort(ranked, {}, &std::pair<Rank, std::string>::first);
    std::vector<std::string> words;
    words.reserve(ranked.size());
    for (const auto& [rank, candidate] : ranked) {
        words.push_back(candidate);
    }
    words.resize(std::min(count, words.size()));
    return words;
}

std::optional<std::string> plausible(std::string_view word, std::span<const std::string> known) {
    std::optional<Rank> best;
    std::optional<std::string> near;
    for (const std::string& candidate : known) {
        if (!is_plausible(word, candidate)) {
            continue;
        }
        const Rank rank = rank_of(word, candidate);
        if (!best || rank < *best) {
            best = rank;
            near = candidate;
        }
    }
    return near;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    const auto near = plausible(word, known);
    return near ? fmt::format(", did you mean {}?", *near) : ".";
}

std::string correction(std::string_view word, std::span<const std::string> known,
                       std::string_view prefix) {
    if (known.empty()) {
        return "allowed: none";
    }
    if (const auto near = plausible(word, known)) {
        return fmt::format("did you mean {}{}?", prefix, *near);
    }
    std::vector<std::string> words;
    for (const std::string& name : known.first(std::min(kMostAllowedShown, known.size()))) {
        words.push_back(fmt::format("{}{}", prefix, name));
    }
    return fmt::format("allowed: {}{}", fmt::join(words, ", "),
                       words.size() < known.size()
                           ? fmt::format(" and {} more", known.size() - words.size())
                           : "");
}

}  // namespace tessera::config
