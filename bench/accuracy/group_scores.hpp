// SPDX-License-Identifier: Apache-2.0
// Scores of groups of rows for each architecture, and their means.
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

/// Share of rows whose interval should contain the measured value, in each group.
inline constexpr double kCoverageGoal = 0.8;

inline constexpr std::string_view kMeanOfGroups = "mean of groups";
inline constexpr std::string_view kMeanOfCircular = "mean of circular groups";

/// Score of one group, or of a mean over groups. Each group has equal weight, whatever its number
/// of rows.
struct GroupScore {
    std::string arch;
    std::string name;  ///< name of the group, or kMeanOfGroups, kMeanOfCircular
    bool is_mean = false;
    std::size_t rows = 0;      ///< scored or not
    Statistics statistics;     ///< statistics of the scored rows
    double within_of_all = 0;  ///< share of all rows within 10 %; a row without a score is a miss
    /// Returns the share of rows that are scored.
    [[nodiscard]] double share_scored() const noexcept;
};

/// Returns Wormhole's groups sorted by name, their mean and the mean of circular groups, then the
/// same for Blackhole. A mean without scored groups is left out.
[[nodiscard]] std::vector<GroupScore> group_scores(std::span<const Row> rows,
                                                   std::span<const RowScore> scores);

}  // namespace tessera::score
