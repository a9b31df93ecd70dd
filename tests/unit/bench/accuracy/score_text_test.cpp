// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::score {
namespace {

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
              "  architecture  group           rows  scored  mean error  within 10 %  "
              "rank correlation\n"
              "  wormhole      g                  2       2      20.0 %       50.0 %"
              "             1.000\n"
              "  wormhole      mean of groups     2       2      20.0 %       50.0 %\n"
              "  blackhole     h                  2       0           –            –"
              "                 –\n");
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
              "id,group,arch,metric,unit,predicted,low,high,measured,error,reason\n"
              "a,g,wormhole,time,us,90,80,120,100,-0.1000,\n"
              "b,g,wormhole,time,us,260,200,300,200,0.3000,\n"
              "c,h,blackhole,time,us,,,,10,,\"no program, \"\"yet\"\"\"\n"
              "d,h,blackhole,time,us,,,,10,,\"no program, \"\"yet\"\"\"\n");
}

}  // namespace
}  // namespace tessera::score
