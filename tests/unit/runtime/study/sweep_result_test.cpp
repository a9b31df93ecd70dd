// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/unit/runtime/study/small_sweep.hpp"

namespace tessera::sweep {
namespace {

using compare::Grade;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::size_t> points_of(const std::vector<Ranked>& ranked) {
    std::vector<std::size_t> points;
    for (const Ranked& entry : ranked) {
        points.push_back(entry.point);
    }
    return points;
}

TEST(Ranking, IsByCaseThenByExpectedTimeOfTheStep) {
    const std::vector<Ranked> ranked = ranking(test::small_sweep());

    EXPECT_THAT(points_of(ranked), ElementsAre(1, 0, 3, 4));
    EXPECT_EQ(ranked[0].rank, 1U);
    EXPECT_EQ(ranked[1].rank, 2U);
    EXPECT_EQ(ranked[2].rank, 1U);
    EXPECT_DOUBLE_EQ(ranked[1].of_best, 3.0 / 2.0);
    EXPECT_DOUBLE_EQ(ranked[3].of_best, 1.5);
    EXPECT_DOUBLE_EQ(ranked[0].time.low, 1500);
    EXPECT_DOUBLE_EQ(ranked[0].time.expected, 2000);
    EXPECT_DOUBLE_EQ(ranked[0].time.high, 3500);
}

TEST(Ranking, ComparesBothEndsWithTheBestOfTheCase) {
    const std::vector<Ranked> ranked = ranking(test::small_sweep());

    EXPECT_EQ(ranked[0].verdict.grade, Grade::Equal);
    EXPECT_EQ(ranked[1].verdict.grade, Grade::Robust) << "1000, 1000 and 500 ns more";
    EXPECT_EQ(ranked[3].verdict.grade, Grade::Leaning) << "100 ns less at the low ends";
    EXPECT_EQ(word_of(ranked[0]), "best");
    EXPECT_EQ(word_of(ranked[1]), "robust: 100 % of 255 pairs");
    EXPECT_EQ(word_of(ranked[3]), "leaning: 66 % of 255 pairs");
}

TEST(Ranking, OfRunsCountsAllSteps) {
    SweepResult result = test::small_sweep();
    result.rank_by = "run";

    // Twice 2 us, and 10 ns between the steps.
    EXPECT_DOUBLE_EQ(ranking(result)[0].time.expected, 4010);
    EXPECT_EQ(ranking(result)[0].bound, "matmul 100 %");
}

TEST(Ranking, KeepsTheOrderOfTheFileForEqualTimes) {
    SweepResult result = test::small_sweep();
    result.points[0].figures = result.points[1].figures;

    EXPECT_THAT(points_of(ranking(result)), ElementsAre(0, 1, 3, 4));
    EXPECT_EQ(word_of(ranking(result)[1]), "equal");
}

TEST(Ranking, OfCasesWithoutTimesIsEmpty) {
    SweepResult result = test::small_sweep();
    for (PointResult& point : result.points) {
        point.figures.reset();
    }

    EXPECT_THAT(ranking(result), IsEmpty());
}

TEST(Ranking, NamesTheStepsThereAre) {
    SweepResult result = test::small_sweep();
    result.rank_by = "down";

    try {
        (void)ranking(result);
        FAIL() << "down is no step";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "sweep.rank_by: unknown step down, allowed: run, prepare, gate");
    }
}

TEST(SweepLabels, AreTheLastPartsThatTellKeysApart) {
    EXPECT_THAT(
        labels_of({"set.moe_bmm.k_block", "set.moe_bmm.grid", "ops.scatter.grid", "arch.clock"}),
        ElementsAre("k_block", "moe_bmm.grid", "scatter.grid", "clock"));
}

TEST(SweepNames, SayWhatWasChosenAndForWhat) {
    SweepResult result = test::small_sweep();

    EXPECT_EQ(name_of(result, 1), "k_block 4");
    EXPECT_EQ(case_name_of(result, 1), "tokens 64");
    EXPECT_EQ(full_name_of(result, 1), "tokens 64: k_block 4");
    result.cases = {"", ""};
    EXPECT_EQ(full_name_of(result, 1), "k_block 4") << "without cases";
}

}  // namespace
}  // namespace tessera::sweep
