// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_markdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::score {
namespace {

// gemm: errors of 20 % and 0 %, the second outside of its interval. The rows of sfpu defined the
// constants. No row of ccl is scored. The group "g" is unknown.
TEST(ScoreMarkdown, HasALineForEachGroupInOneOrderAndTheMeans) {
    const std::vector<Row> rows{{.arch = "wormhole", .value = 100, .group = "gemm"},
                                {.arch = "wormhole", .value = 200, .group = "gemm"},
                                {.arch = "blackhole", .value = 10, .group = "sfpu"},
                                {.arch = "blackhole", .value = 10, .group = "ccl"},
                                {.arch = "blackhole", .value = 10, .group = "g"}};
    std::vector<RowScore> scores(rows.size());
    scores[0].prediction = Prediction{70, 80, 120};
    scores[1].prediction = Prediction{150, 200, 190};
    scores[2].prediction = Prediction{10, 10, 10};
    scores[4].prediction = Prediction{9, 11, 12};

    EXPECT_EQ(
        groups_markdown(rows, scores),
        "| group | what | Wormhole: rows scored, mean error (bias), within 10 %, covered | "
        "Blackhole |\n"
        "|---|---|---|---|\n"
        "| `gemm` | products of the whole grid | 2 of 2, 10.0 % (-10.0), 50 %, 50 % | – |\n"
        "| `ccl` | all-gather, reduce-scatter, all-to-all *(changed: Blackhole's links at the "
        "report's 25 GB/s)* | – | 0 of 1 |\n"
        "| `sfpu` | SFPU functions *(circular: the constants come from these rows)* | – | 1 of "
        "1, 0.0 % (+0.0), 100 %, 100 % |\n"
        "| `g` |  | – | 1 of 1, 10.0 % (+10.0), 100 %, 100 % |\n"
        "| **mean of groups** |  | 2 of 2, 10.0 % (-10.0), 50 %, 50 % | 1 of 2, 10.0 % "
        "(+10.0), 100 %, 100 % |\n"
        "| **mean of circular groups** |  | – | 1 of 1, 0.0 % (+0.0), 100 %, 100 % |\n");
}

TEST(ScoreMarkdown, SaysHowAlternativesAreOrdered) {
    const std::vector<AlternativeKind> kinds{{.name = "line or ring",
                                              .num_pairs = 8,
                                              .num_right = 6,
                                              .num_robust = 4,
                                              .num_robust_right = 4},
                                             {.name = "devices", .num_pairs = 2, .num_right = 0}};

    EXPECT_EQ(
        alternatives_markdown(kinds),
        "| alternatives measured more than 5 % apart | pairs | ordered right | called robust | "
        "robust and right |\n"
        "|---|---|---|---|---|\n"
        "| line or ring | 8 | 75.0 % | 4 | 100.0 % |\n"
        "| devices | 2 | 0.0 % | 0 | – |\n");
    EXPECT_EQ(alternatives_markdown({}), "");
}

TEST(ScoreMarkdown, HoldsResiduesAgainstWhatDeviceModelsState) {
    using timing::Regime;
    const std::vector<RegimeResidue> residues{{"blackhole", Regime::Launch, 4, 0.02, 0.1, 0.15},
                                              {"wormhole", Regime::Compute, 9, -0.1, 0.25, 0.2}};

    const std::string text = residues_markdown(residues);

    EXPECT_THAT(text, ::testing::StartsWith(
                          "| bound by | Wormhole: rows, bias, 90 % of rows within a factor of "
                          "(stated) | Blackhole |\n"
                          "|---|---|---|\n"
                          "| compute | 9, -10.0 %, 1.25 (1.20) | – |\n"));
    EXPECT_THAT(text, ::testing::EndsWith("| launch | – | 4, +2.0 %, 1.10 (1.15) |\n"));
    EXPECT_EQ(residues_markdown({}), "");
}

// Rows 1 and 3 share a reason; row 0 has a prediction.
TEST(ScoreMarkdown, NamesTheReasonOfEachRowWithoutAPrediction) {
    const std::vector<Row> rows{
        {.group = "gemm"}, {.group = "exp"}, {.group = "ccl"}, {.group = "ccl"}};
    std::vector<RowScore> scores(rows.size());
    scores[0].prediction = Prediction{1, 1, 1};
    scores[1].reason = scores[3].reason = "no program";
    scores[2].reason = "a reason of its own";

    EXPECT_EQ(unscored_markdown(rows, scores),
              "| rows | groups | why there is no prediction |\n"
              "|---|---|---|\n"
              "| 2 | `ccl`, `exp` | no program |\n"
              "| 1 | `ccl` | a reason of its own |\n");
}

// 6 of 8, 0 of 2 and 10 of 10 pairs are 16 of 20. Without the last kind, which differs in an
// amount, they are 6 of 10. Only means have a line.
TEST(ScoreMarkdown, SumsUpMeansAndAlternatives) {
    const std::vector<GroupScore> groups{{.arch = "wormhole", .name = "gemm", .rows = 3},
                                         {.arch = "wormhole",
                                          .name = "mean of groups",
                                          .is_mean = true,
                                          .rows = 9,
                                          .statistics = {.count = 7,
                                                         .mean_absolute_error = 0.065,
                                                         .bias = -0.016,
                                                         .share_within_tenth = 0.83,
                                                         .share_covered = 0.9}}};
    const std::vector<AlternativeKind> kinds{{.name = "line or ring",
                                              .num_pairs = 8,
                                              .num_right = 6,
                                              .num_robust = 4,
                                              .num_robust_right = 3},
                                             {.name = "devices", .num_pairs = 2},
                                             {.name = "bytes_per_txn",
                                              .num_pairs = 10,
                                              .num_right = 10,
                                              .num_robust = 6,
                                              .num_robust_right = 6}};

    EXPECT_EQ(
        summary_markdown(groups, kinds),
        "| | rows scored | mean error of groups (bias) | within 10 % | covered |\n"
        "|---|---|---|---|---|\n"
        "| Wormhole | 7 of 9 | 6.5 % (-1.6) | 83 % | 90 % |\n"
        "\n"
        "| alternatives measured more than 5 % apart | pairs | ordered right | called robust | "
        "robust and right |\n"
        "|---|---|---|---|---|\n"
        "| all kinds | 20 | 80.0 % | 10 | 90.0 % |\n"
        "| without sizes, counts and other workloads | 10 | 60.0 % | 4 | 75.0 % |\n");
}

}  // namespace
}  // namespace tessera::score
