// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::score {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const std::vector<Row> kRows{
    {.id = "a", .arch = "wormhole", .metric = "time", .value = 100, .unit = "us", .group = "g"},
    {.id = "b", .arch = "wormhole", .metric = "time", .value = 200, .unit = "us", .group = "g"},
    {.id = "c", .arch = "blackhole", .metric = "time", .value = 10, .unit = "us", .group = "h"},
    {.id = "d", .arch = "blackhole", .metric = "time", .value = 10, .unit = "us", .group = "h"}};

std::vector<RowScore> scores() {
    std::vector<RowScore> scores(kRows.size());
    scores[0].prediction = Prediction{80, 90, 120};
    scores[1].prediction = Prediction{200, 260, 300};
    scores[2].reason = "no program, \"yet\"";
    scores[3].reason = "no program, \"yet\"";
    return scores;
}

TEST(ScoreText, GivesALineForEachGroupAndTheMeanOverGroups) {
    const std::string text = groups_text(kRows, scores(), {});

    EXPECT_EQ(text,
              "  architecture  group           rows  scored    share  mean error     bias  within "
              "10 %  of all rows  covered  rank correlation  constants\n  wormhole      g          "
              "        2       2  100.0 %      20.0 %  +10.0 %       50.0 %       50.0 %  100.0 %  "
              "           1.000\n  wormhole      mean of groups     2       2  100.0 %      20.0 % "
              " +10.0 %       50.0 %       50.0 %  100.0 %\n  blackhole     h                  2   "
              "    0    0.0 %           –        –            –        0.0 %        –              "
              "   –\n\nThe column \"of all rows\" counts rows within 10 %; a row that is not "
              "scored is a miss. The goal of \"covered\" is 80 % of each group.\n");
}

// Errors of rows that defined the constants do not test the model.
TEST(ScoreText, CountsCircularGroupsApartAndSaysWhatOthersChange) {
    const std::vector<Row> rows{{.arch = "wormhole", .value = 10, .group = "gemm"},
                                {.arch = "wormhole", .value = 10, .group = "npe"},
                                {.arch = "wormhole", .value = 10, .group = "sfpu"}};
    std::vector<RowScore> scores(3);
    scores[0].prediction = Prediction{8, 8, 8};
    scores[1].prediction = Prediction{6, 6, 6};
    scores[2].prediction = Prediction{10, 10, 10};

    const std::string text = groups_text(rows, scores, {});

    EXPECT_THAT(text, ContainsRegex("mean of groups +2 +2 +100.0 % +30.0 %"));
    EXPECT_THAT(text, ContainsRegex("mean of circular groups +1 +1 +100.0 % +0.0 %"));
    EXPECT_THAT(text, ContainsRegex("npe [^\n]* changed\n"));
    EXPECT_THAT(text, HasSubstr("\nnpe (changed): 85 cycles a read and 200 a kernel more, for the "
                                "profiler\nsfpu (circular): the constants come from these rows\n"));
}

TEST(ScoreText, ShowsHowAlternativesAreOrdered) {
    EXPECT_EQ(alternatives_text(std::vector<AlternativeKind>{{"line or ring", 8, 6, 4, 4}}, {}),
              "Order of alternatives measured more than 5 % apart\n"
              "\n"
              "  alternatives  pairs   right  robust  robust and right\n"
              "  line or ring      8  75.0 %       4           100.0 %\n");
    EXPECT_EQ(alternatives_text({}, {}), "");
}

TEST(ScoreText, ShowsResiduesByRegime) {
    EXPECT_EQ(residues_text(std::vector<RegimeResidue>{{"wormhole", timing::Regime::Links, 9, -0.1,
                                                        0.25, 0.2}},
                            {}),
              "Residues by what decides the time (timing.model_error), circular groups left out\n"
              "\n"
              "  architecture  decided by  rows     bias  nine of ten within  stated\n"
              "  wormhole      links          9  -10.0 %    a factor of 1.25    1.20\n");
}

TEST(ScoreText, GivesALineForEachRow) {
    const std::string text = rows_text(kRows, scores(), {});

    EXPECT_THAT(text,
                HasSubstr("  a    wormhole             90   80   120       100  us    -10.0 %"));
    EXPECT_THAT(text, HasSubstr("+30.0 %"));
}

TEST(ScoreText, ListsReasonsWithTheirRows) {
    EXPECT_EQ(reasons_text(kRows, scores(), RowDetail::Rows, {}),
              "  not scored  reason             rows\n"
              "           2  no program, \"yet\"  c d\n");
    EXPECT_EQ(reasons_text({}, {}, RowDetail::Rows, {}), "");
}

TEST(ScoreCsv, HasEveryRowWithItsFigureOrReason) {
    EXPECT_EQ(rows_csv(kRows, scores()),
              "id,group,arch,metric,unit,predicted,low,high,measured,error,regime,reason\n"
              "a,g,wormhole,time,us,90,80,120,100,-0.1000,,\n"
              "b,g,wormhole,time,us,260,200,300,200,0.3000,,\n"
              "c,h,blackhole,time,us,,,,10,,,\"no program, \"\"yet\"\"\"\n"
              "d,h,blackhole,time,us,,,,10,,,\"no program, \"\"yet\"\"\"\n");
}

}  // namespace
}  // namespace tessera::score
