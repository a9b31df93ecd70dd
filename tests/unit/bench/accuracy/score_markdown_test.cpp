// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_markdown.hpp"

#include <gtest/gtest.h>

namespace tessera::score {
namespace {

// gemm: 20 and 0 % off, the second outside of its interval; sfpu's rows are the constants' own; of
// ccl nothing is scored; nobody knows a group "g".
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

    EXPECT_EQ(groups_markdown(rows, scores),
              "| group | what | Wormhole: rows scored, mean error (bias), within 10 %, covered | "
              "Blackhole |\n"
              "|---|---|---|---|\n"
              "| `gemm` | products of the whole grid | 2 of 2, 10.0 % (-10.0), 50 %, 50 % | – |\n"
              "| `ccl` | all-gather, reduce-scatter, all-to-all *(changed)* | – | 0 of 1 |\n"
              "| `sfpu` | SFPU functions *(circular)* | – | 1 of 1, 0.0 % (+0.0), 100 %, 100 % |\n"
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

}  // namespace
}  // namespace tessera::score
