// SPDX-License-Identifier: Apache-2.0
// Statistics of predictions against measurements.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tessera::score {

struct Pair {
    double predicted = 0;
    double measured = 0;  ///< above 0
    double low = 0;       ///< ends of the prediction's interval
    double high = 0;
};

/// Largest relative error of a good prediction.
inline constexpr double kTenth = 0.10;
/// Factor from shares to per cent.
inline constexpr double kPercent = 100;

/// Returns (predicted − measured) / measured.
[[nodiscard]] double relative_error(Pair pair) noexcept;

struct Statistics {
    std::size_t count = 0;
    double mean_absolute_error = 0;  ///< mean of |relative error|; 0.1 is 10 %
    double bias = 0;                 ///< mean of the relative error
    double share_within_tenth = 0;   ///< share of pairs whose |relative error| is at most 10 %
    double share_covered = 0;        ///< share of pairs whose interval holds the measured value
    /// Spearman's rank correlation, with mean ranks for ties. Empty for fewer than two pairs, or if
    /// one side is constant.
    std::optional<double> rank_correlation;
};

[[nodiscard]] Statistics statistics_of(std::span<const Pair> pairs);

}  // namespace tessera::score
