// SPDX-License-Identifier: Apache-2.0
// The result of a sweep as text and as CSV.
#include "runtime/study/sweep_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/study/sweep_files.hpp"
#include "tests/unit/runtime/study/small_sweep.hpp"

namespace tessera::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SweepText, IsQuestionTableFailuresAndAnswers) {
    EXPECT_EQ(
        to_text(test::small_sweep(), {}),
        "small: Which K block is <best>?\n"
        "5 points in 2 cases by time of step gate; 5 recordings of kernels; values not computed\n"
        "\n"
        "  rank  tokens  k_block  cycles     us    interval us  of best  slower                    "
        "  "
        "bound by\n"
        "     1  64      4         2 000  2.000  1.500 … 3.500     1.00  best                      "
        "  "
        "matmul 100 %\n"
        "     2  64      1         3 000  3.000  2.500 … 4.000     1.50  robust: 100 % of 255 "
        "pairs  "
        "matmul 100 %\n"
        "     1  32      1         1 000  1.000  0.900 … 1.200     1.00  best                      "
        "  "
        "matmul 100 %\n"
        "     2  32      4         1 500  1.500  0.800 … 1.900     1.50  leaning: 66 % of 255 "
        "pairs  "
        "matmul 100 %\n"
        "\n"
        "Without a time\n"
        "  tokens 64: k_block 1024: CBs take more than L1, \"all\" of it\n"
        "\n"
        "tokens 64: best: k_block 4, 2.000 us; k_block 1 takes 1.50 times as long (robust: 100 % "
        "of 255 pairs)\n"
        "tokens 32: best: k_block 1, 1.000 us; k_block 4 takes 1.50 times as long (leaning: 66 % "
        "of 255 pairs)\n");
}

TEST(SweepText, NamesDrawnTensorsUnderTheCounts) {
    SweepResult result = test::small_sweep();
    result.drawn = {"router_logits", "index_scores"};

    EXPECT_THAT(
        to_text(result, {}),
        HasSubstr("5 recordings of kernels; values not computed\n"
                  "drawn, since no values are computed: router_logits, index_scores; kernels "
                  "choose by them\n\n"));
}

TEST(SweepText, AnswersWithSecondAndSlowest) {
    SweepResult result = test::small_sweep();
    for (PointResult& point : result.points) {
        point.case_index = 0;
    }
    result.cases = {""};
    result.num_case_keys = 0;

    EXPECT_THAT(
        answers(result),
        ElementsAre(
            "best: tokens 32, k_block 1, 1.000 us; tokens 32, k_block 4 takes 1.50 "
            "times as long (leaning: 66 % of 255 pairs); the slowest, tokens 64, k_block 1, "
            "takes 3.00 times as long (robust: 100 % of 255 pairs)"));
}

TEST(SweepText, ShowsLabelsOfLongValues) {
    SweepResult result = test::small_sweep();
    for (PointResult& point : result.points) {
        point.values[1] = point.values[1] == "4" ? "{value: 4 cycles, source: x}" : "8 cycles";
    }
    result.value_labels = {{"{value: 4 cycles, source: x}", "4 cycles"}};

    EXPECT_THAT(answers(result)[0],
                testing::StartsWith("tokens 64: best: k_block 4 cycles, 2.000 us; "));
    EXPECT_THAT(to_text(result, {}), testing::Not(HasSubstr("{value")));
    EXPECT_THAT(axis_of(result, 1).values, ElementsAre("4 cycles", "8 cycles"));
    EXPECT_EQ(axis_of(result, 1).kind, AxisKind::Numbers);
    EXPECT_THAT(to_csv(result), HasSubstr("64,\"{value: 4 cycles, source: x}\","));
}

TEST(SweepText, OfAnInterruptedSweepSaysHowManyPointsHaveATime) {
    EXPECT_EQ(interrupted_text(test::small_sweep()),
              "interrupted: 4 of 5 points have a time, the best is the best of these");
}

TEST(SweepText, WithoutTimesIsQuestionAndFailures) {
    SweepResult result = test::small_sweep();
    result.points = {result.points[2]};

    EXPECT_EQ(to_text(result, {}),
              "small: Which K block is <best>?\n"
              "1 point in 2 cases by time of step gate; 5 recordings of kernels; values not "
              "computed\n\n\n"
              "Without a time\n"
              "  tokens 64: k_block 1024: CBs take more than L1, \"all\" of it\n\n"
              "no point has a time\n");
}

TEST(SweepText, ShowsSmallDifferencesWithMoreDigits) {
    SweepResult result = test::small_sweep();
    result.points[0].figures = test::run_of(1'500'200, 2'000'200, 3'500'200);

    EXPECT_EQ(answers(result)[0],
              "tokens 64: best: k_block 4, 2.000 us; k_block 1 takes 1.00010 times as long "
              "(robust: 100 % of 255 pairs)");
}

TEST(SweepText, CallsEqualTimesAsFast) {
    SweepResult result = test::small_sweep();
    result.points[0].figures = result.points[1].figures;
    result.points[4].figures = test::run_of(500'000, 1'000'000, 1'200'000);

    EXPECT_THAT(answers(result),
                ElementsAre("tokens 64: best: k_block 1, 2.000 us; k_block 4 is as fast",
                            "tokens 32: best: k_block 1, 1.000 us; k_block 4 is as fast as "
                            "expected, not in every pair"));
}

TEST(SweepCsv, HasARowPerPointThoseWithoutTimesLast) {
    EXPECT_EQ(
        to_csv(test::small_sweep()),
        "rank,params.tokens,set.moe_bmm.k_block,cycles,expected_ns,low_ns,high_ns,of_best,slower,"
        "slower_share,bound,recorded_by,failure,prepare_ns,gate_ns\n"
        "1,64,4,2000.000,2000.000,1500.000,3500.000,1.0000,best,,matmul 100 "
        "%,2,,2000.000,2000.000\n"
        "2,64,1,3000.000,3000.000,2500.000,4000.000,1.5000,robust,1.0000,matmul 100 %,1,,3000.000,"
        "3000.000\n"
        "1,32,1,1000.000,1000.000,900.000,1200.000,1.0000,best,,matmul 100 %,4,,1000.000,1000.000\n"
        "2,32,4,1500.000,1500.000,800.000,1900.000,1.5000,leaning,0.6667,matmul 100 %,5,,1500.000,"
        "1500.000\n"
        ",64,1024,,,,,,,,,,\"CBs take more than L1, \"\"all\"\" of it\",,\n");
}

}  // namespace
}  // namespace tessera::sweep
