// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/residues.hpp"

#include <gtest/gtest.h>

namespace tessera::score {
namespace {

using timing::Regime;

struct Rows {
    std::vector<Row> rows;
    std::vector<RowScore> scores;

    void add(const std::string& group, double predicted, double measured, Regime regime) {
        rows.push_back({.arch = "wormhole", .value = measured, .group = group});
        scores.emplace_back();
        scores.back().prediction =
            Prediction{.expected = predicted, .regime = regime, .model_error = 0.3};
    }
};

// Factors of 2, 2, 1.25 and 1 in either direction; the 90th percentile of four includes all four.
TEST(Residues, AreFactorsEitherWayByRegime) {
    Rows given;
    given.add("ccl", 2, 1, Regime::Links);
    given.add("ccl", 1, 2, Regime::Links);
    given.add("ccl", 5, 4, Regime::Links);
    given.add("npe", 4, 4, Regime::Links);
    given.add("npe", 11, 10, Regime::ManyReads);

    const auto residues = residues_of(given.rows, given.scores);

    ASSERT_EQ(residues.size(), 2U);
    EXPECT_EQ(residues[0].regime, Regime::ManyReads);
    EXPECT_NEAR(residues[0].nine_of_ten, 0.1, 1e-12);
    EXPECT_EQ(residues[1].regime, Regime::Links);
    EXPECT_EQ(residues[1].count, 4U);
    EXPECT_NEAR(residues[1].nine_of_ten, 1, 1e-12);
    EXPECT_EQ(residues[1].stated, 0.3);
    EXPECT_NEAR(residues[1].bias, (1 - 0.5 + 0.25 + 0) / 4, 1e-12);
}

TEST(Residues, LeaveOutCircularGroupsAndRowsWithoutAPrediction) {
    Rows given;
    given.add("sfpu", 2, 1, Regime::Compute);
    given.rows.push_back({.arch = "wormhole", .value = 1, .group = "ccl"});
    given.scores.emplace_back();

    EXPECT_TRUE(residues_of(given.rows, given.scores).empty());
}

}  // namespace
}  // namespace tessera::score
