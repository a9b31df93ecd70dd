// SPDX-License-Identifier: Apache-2.0
// Scores of groups of rows, each architecture's apart, and their means.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"
#include "bench/accuracy/statistics.hpp"

namespace tessera::score {

/// The share of rows that intervals are to hold, in each group.
inline constexpr double kCoverageGoal = 0.8;

inline constexpr std::string_view kMeanOfGroups = "mean of groups";
inline constexpr std::string_view kMeanOfCircular = "mean of circular groups";

/// A group's line, or that of a mean over groups, each of which counts once whatever its rows.
struct GroupScore {
    std::string arch;
    std::string name;  ///< of the group, or kMeanOfGroups, kMeanOfCircular
    bool is_mean = false;
    std::size_t rows = 0;      ///< scored or not
    Statistics statistics;     ///< of those that are scored
    double within_of_all = 0;  ///< share of all rows within 10 %: one that is not scored is a miss
    /// Rows scored of all rows.
    [[nodiscard]] double share_scored() const noexcept;
};

/// Wormhole's groups by name, the mean of those and that of circular ones (left out where none is
/// scored), then Blackhole's.
[[nodiscard]] std::vector<GroupScore> group_scores(std::span<const Row> rows,
                                                   std::span<const RowScore> scores);

}  // namespace tessera::score
