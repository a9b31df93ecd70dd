// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/core_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr GridSize kGrid{.columns = 3, .rows = 2};

TEST(CoreMap, HasTheShapeOfTheGrid) {
    const std::vector<double> shares{1, 0.5, 0, 0.25, 0.004, 0.996};

    EXPECT_EQ(draw_core_map("device 0", shares, kGrid, {}),
              "  device 0\n"
              "        x0  x1  x2\n"
              "  y0   100  50   .\n"
              "  y1    25   0 100\n");
}

TEST(CoreMap, ColoursByShareOnATerminal) {
    const std::vector<double> shares{1, 0, 0, 0, 0, 0};

    const std::string map = draw_core_map("", shares, kGrid, {.colour = Colour::On});

    EXPECT_THAT(map, HasSubstr("\033[38;5;160m 100\033[0m"));
    EXPECT_THAT(map, HasSubstr("\033[38;5;33m   .\033[0m"));
}

TEST(CoreMap, MeanIsOverDevices) {
    const std::vector<double> shares{1, 0.5, 0.5, 0.5};

    EXPECT_THAT(mean_over_devices(shares, {.columns = 2, .rows = 1}), ElementsAre(0.75, 0.5));
}

TEST(BesideEachOther, PutsAsManyInARowAsFit) {
    const std::vector<std::string> blocks{"a1\na2\n", "b1\nb2\n", "c1\nc2\n"};

    EXPECT_EQ(side_by_side(blocks, 3, {.width = 8}),
              "a1   b1\n"
              "a2   b2\n"
              "\n"
              "c1\n"
              "c2\n");
}

TEST(BesideEachOther, CountsColoursAsNothing) {
    const std::vector<std::string> blocks{"\033[1mé\033[0m\n", "b\n"};

    EXPECT_EQ(side_by_side(blocks, 2, {.width = 80}), "\033[1mé\033[0m   b\n");
}

TEST(BesideEachOther, KeepsABlockThatIsWiderThanTheTerminal) {
    const std::vector<std::string> blocks{"aaaa\n", "bbbb\n"};

    EXPECT_EQ(side_by_side(blocks, 4, {.width = 3}), "aaaa\n\nbbbb\n");
}

}  // namespace
}  // namespace tessera::report
