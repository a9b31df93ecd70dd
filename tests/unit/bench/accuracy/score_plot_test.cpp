// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::score {
namespace {

using testing::HasSubstr;
using testing::Not;
using timing::Regime;

struct Rows {
    std::vector<Row> rows;
    std::vector<RowScore> scores;

    void add(const std::string& group, double predicted, double measured) {
        rows.push_back({.arch = "wormhole", .value = measured, .group = group});
        scores.emplace_back();
        scores.back().prediction = Prediction{.expected = predicted, .regime = Regime::Links};
    }
    [[nodiscard]] std::string svg() const { return score_svg(rows, scores); }
};

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

// A panel is 270 × 130: exact predictions are in its middle, those four times too long at the top.
TEST(ScorePlot, HasADotForEachRowAtItsRatio) {
    Rows given;
    given.add("ccl", 10, 10);
    given.add("ccl", 4000, 1000);

    const std::string svg = given.svg();

    EXPECT_THAT(svg, HasSubstr("<circle cx=\"0.0\" cy=\"65.0\" r=\"2\"/>"));
    EXPECT_THAT(svg, HasSubstr("<circle cx=\"270.0\" cy=\"0.0\" r=\"2\"/>"));
    EXPECT_EQ(count_of(svg, "<circle"), 2U);
    EXPECT_THAT(svg, HasSubstr(">wormhole, links</text>\n<text y=\"-7\">2 rows, +150.0 %</text>"));
}

TEST(ScorePlot, HasAPanelForEachWorkloadIfAskedFor) {
    Rows given;
    given.add("sfpu", 10, 10);
    given.add("sfpu", 30, 20);
    given.rows[0].workload = "SFPU <exp>";
    given.rows[1].workload = "SFPU cos";

    const std::string svg = score_svg(given.rows, given.scores, PanelKind::Workload);

    EXPECT_THAT(svg,
                HasSubstr(">wormhole, SFPU &lt;exp></text>\n<text y=\"-7\">1 row, +0.0 %</text>"));
    EXPECT_THAT(svg, HasSubstr(">wormhole, SFPU cos</text>\n<text y=\"-7\">1 row, +50.0 %</text>"));
    EXPECT_EQ(count_of(svg, "<circle"), 2U) << "circular groups too: they are asked for";
}

TEST(ScorePlot, KeepsDotsBeyondAFactorOfFourOnTheEdge) {
    Rows given;
    given.add("ccl", 1, 100);

    EXPECT_THAT(given.svg(), HasSubstr("<circle cx=\"135.0\" cy=\"130.0\" r=\"2\"/>"));
}

TEST(ScorePlot, LeavesOutWhatSaysNothingOfTheModel) {
    Rows given;
    given.add("sfpu", 1, 1);

    EXPECT_THAT(given.svg(), Not(HasSubstr("<circle")));
}

}  // namespace
}  // namespace tessera::score
