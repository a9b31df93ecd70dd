// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::score {
namespace {

TEST(ScoreStatistics, MeanErrorAndShareWithinTenPercent) {
    // Errors of +10 %, −10 %, +50 % and 0: mean 17.5 %, three of four within.
    const std::vector<Pair> pairs{{110, 100}, {180, 200}, {15, 10}, {7, 7}};

    const Statistics statistics = statistics_of(pairs);

    EXPECT_EQ(statistics.count, 4U);
    EXPECT_NEAR(statistics.mean_absolute_error, 0.175, 1e-12);
    EXPECT_NEAR(statistics.share_within_tenth, 0.75, 1e-12);
}

TEST(ScoreStatistics, BiasAndShareOfIntervalsThatHoldTheMeasuredValue) {
    // Errors of +10 % and −30 %; 100 is in [90, 100], 10 is not in [6, 9].
    const std::vector<Pair> pairs{{110, 100, 90, 100}, {7, 10, 6, 9}};

    const Statistics statistics = statistics_of(pairs);

    EXPECT_NEAR(statistics.bias, -0.1, 1e-12);
    EXPECT_EQ(statistics.share_covered, 0.5);
}

TEST(ScoreStatistics, RankCorrelationWithoutTiesIsSpearmansFormula) {
    // Ranks of predictions 1 2 3 4 5, of measurements 2 1 4 3 5: differences 1 1 1 1 0, so
    // 1 − 6 · 4 / (5 · 24) = 0.8.
    const std::vector<Pair> pairs{{1, 20}, {2, 10}, {3, 40}, {4, 30}, {5, 50}};

    EXPECT_NEAR(*statistics_of(pairs).rank_correlation, 0.8, 1e-12);
}

TEST(ScoreStatistics, TiesTakeTheirMeanRank) {
    // Ranks of predictions 1.5 1.5 3, of measurements 1 2 3: covariance 1.5, variances 1.5 and 2.
    const std::vector<Pair> pairs{{4, 1}, {4, 2}, {9, 3}};

    EXPECT_NEAR(*statistics_of(pairs).rank_correlation, 1.5 / 1.7320508075688772, 1e-12);
}

TEST(ScoreStatistics, OneRowOrOneValueHasNoRankCorrelation) {
    EXPECT_FALSE(statistics_of(std::vector<Pair>{{1, 1}}).rank_correlation.has_value());
    EXPECT_FALSE(statistics_of(std::vector<Pair>{{1, 1}, {1, 2}}).rank_correlation.has_value());
    EXPECT_EQ(statistics_of({}).count, 0U);
}

}  // namespace
}  // namespace tessera::score
