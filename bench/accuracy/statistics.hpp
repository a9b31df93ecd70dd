// SPDX-License-Identifier: Apache-2.0
// How well predictions meet measurements.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tessera::score {

struct Pair {
    double predicted = 0;
    double measured = 0;  ///< above 0
    double low = 0;       ///< of the prediction
    double high = 0;
};

/// Where a prediction begins to be a good one.
inline constexpr double kTenth = 0.10;
/// From shares to what is shown.
inline constexpr double kPercent = 100;

/// (predicted − measured) / measured.
[[nodiscard]] double relative_error(Pair pair) noexcept;

struct Statistics {
    std::size_t count = 0;
    double mean_absolute_error = 0;  ///< mean of |relative error|; 0.1 is 10 %
    double bias = 0;                 ///< mean of the relative error
    double share_within_tenth = 0;   ///< share of pairs whose |relative error| is at most 10 %
    double share_covered = 0;        ///< share of pairs whose interval holds the measured value
    /// Spearman's rank correlation, ties at their mean rank; none for fewer than two pairs, or if
    /// either side is all one value.
    std::optional<double> rank_correlation;
};

[[nodiscard]] Statistics statistics_of(std::span<const Pair> pairs);

}  // namespace tessera::score
