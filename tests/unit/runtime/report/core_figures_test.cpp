// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/core_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

using testing::ElementsAre;

TEST(SpreadOf, TakesTheMiddleOfAnOddNumber) {
    const Spread spread = spread_of({7, 1, 3});

    EXPECT_EQ(spread.min, 1);
    EXPECT_EQ(spread.median, 3);
    EXPECT_EQ(spread.max, 7);
}

TEST(SpreadOf, TakesTheMeanOfTheMiddleTwoOfAnEvenNumber) {
    EXPECT_EQ(spread_of({10, 1, 4, 2}).median, 3);
}

TEST(SpreadOf, IsZeroOfNothing) {
    EXPECT_EQ(spread_of({}).max, 0);
}

TEST(SharesOfBusiest, AreOfTheTilesComputed) {
    const std::vector<CoreActivity> cores{
        {.tiles_packed = 3}, {.tiles_packed = 12, .bytes_read = 5}, {.bytes_read = 100}};

    EXPECT_THAT(shares_of_busiest(cores), ElementsAre(0.25, 1.0, 0.0));
}

TEST(SharesOfBusiest, AreZeroWhereNoCoreComputes) {
    EXPECT_THAT(shares_of_busiest(std::vector<CoreActivity>{{.bytes_read = 1}, {}}),
                ElementsAre(0.0, 0.0));
}

TEST(SumByCore, AddsLaunchesAndKeepsIdleCores) {
    const std::vector<CoreActivity> launches{
        {.device = 1, .core = {1, 0}, .tiles_packed = 2, .tiles_multiplied = 7},
        {.device = 0, .core = {0, 1}, .bytes_read = 3, .bytes_written = 4},
        {.device = 1, .core = {1, 0}, .tiles_packed = 5, .bytes_linked = 6},
    };

    const std::vector<CoreActivity> sums = sum_by_core(launches, 2, {.columns = 2, .rows = 2});

    ASSERT_EQ(sums.size(), 8U);
    EXPECT_EQ(sums[2].core, (CoreCoord{0, 1}));
    EXPECT_EQ(sums[2].bytes_read, 3U);
    EXPECT_EQ(sums[2].bytes_written, 4U);
    EXPECT_EQ(sums[5].device, 1U);
    EXPECT_EQ(sums[5].tiles_packed, 7U);
    EXPECT_EQ(sums[5].tiles_multiplied, 7U);
    EXPECT_EQ(sums[5].bytes_linked, 6U);
    EXPECT_EQ(sums[0].tiles_packed, 0U);
}

TEST(SumByCore, RefusesACoreOutsideTheGrid) {
    const std::vector<CoreActivity> launches{{.device = 0, .core = {2, 0}}};

    EXPECT_THROW((void)sum_by_core(launches, 2, {.columns = 2, .rows = 2}), InternalError);
}

}  // namespace
}  // namespace tessera::report
