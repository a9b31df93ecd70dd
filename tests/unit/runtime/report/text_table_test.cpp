// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/text_table.hpp"

#include <gtest/gtest.h>

namespace tessera::report {
namespace {

std::vector<Column> three_columns() {
    return {{"step", Align::Left, 9, {{"gate"}, {"x"}}},
            {"op", Align::Left, 1, {{"moe_bmm"}, {""}}},
            {"tiles", Align::Right, 5, {{"7"}, {"1234567"}}}};
}

TEST(TextTable, AlignsColumnsAndEndsLinesWithoutSpaces) {
    EXPECT_EQ(to_text(three_columns(), {}),
              "  step  op         tiles\n"
              "  gate  moe_bmm        7\n"
              "  x              1234567\n");
}

TEST(TextTable, DropsTheLowestRankWhereItIsTooWide) {
    EXPECT_EQ(to_text(three_columns(), {.width = 23}),
              "  step    tiles\n"
              "  gate        7\n"
              "  x     1234567\n");
}

TEST(TextTable, KeepsAllColumnsThatFitExactly) {
    EXPECT_EQ(to_text(three_columns(), {.width = 24}), to_text(three_columns(), {}));
}

TEST(TextTable, KeepsTheHighestRankWhateverTheWidth) {
    EXPECT_EQ(to_text(three_columns(), {.width = 1}), "  step\n  gate\n  x\n");
}

TEST(TextTable, AlignsTextOfSeveralBytesALetter) {
    EXPECT_EQ(
        to_text({{"a", Align::Left, 1, {{"–"}, {"bb"}}}, {"c", Align::Left, 1, {{"1"}, {"2"}}}},
                {}),
        "  a   c\n"
        "  –   1\n"
        "  bb  2\n");
}

TEST(TextTable, PaintsCellsOnATerminalOnly) {
    const std::vector<Column> columns{{"check", Align::Left, 1, {{"FAIL", Tone::Bad}}}};

    EXPECT_EQ(to_text(columns, {}), "  check\n  FAIL\n");
    EXPECT_EQ(to_text(columns, {.colour = Colour::On}),
              "  \033[1mcheck\033[0m\n  \033[1;31mFAIL\033[0m\n");
}

TEST(ClippedText, KeepsWhatFitsAndCountsNeitherColoursNorBytes) {
    EXPECT_EQ(clipped("abcd", 4), "abcd");
    EXPECT_EQ(clipped("abcde", 4), "abc…");
    EXPECT_EQ(clipped("−−−−", 4), "−−−−");
    EXPECT_EQ(clipped("\033[1mabcd\033[0m", 4), "\033[1mabcd\033[0m");
    EXPECT_EQ(clipped("\033[1mabcde\033[0m", 4), "\033[1mabc…\033[0m");
}

TEST(TextLines, AreWrappedAtSpacesAndIndented) {
    const TextStyle narrow{.width = 20};

    EXPECT_EQ(wrapped("  one two three four five\nsix\n", narrow),
              "  one two three four\n      five\nsix\n");
    EXPECT_EQ(wrapped("  gains of up to 1.5 %\n", narrow), "  gains of up to\n      1.5 %\n");
    EXPECT_EQ(wrapped("abcdefghijklmnopqrstuvwxyz", narrow), "abcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(wrapped("\033[1mseventeen columns\033[0m −−\n", narrow),
              "\033[1mseventeen columns\033[0m −−\n");
}

TEST(TextLines, AreWrappedAtAHundredColumnsInAPipe) {
    const std::string word(60, 'a');

    EXPECT_EQ(wrapped(word + " " + word + "\n", {}), word + "\n    " + word + "\n");
}

}  // namespace
}  // namespace tessera::report
