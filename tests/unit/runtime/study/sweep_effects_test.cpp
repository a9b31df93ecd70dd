// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/study/sweep_result.hpp"
#include "tests/unit/runtime/study/small_sweep.hpp"

namespace tessera::sweep {
namespace {

using testing::ElementsAre;

std::vector<KeyEffect> effects(const SweepResult& result) {
    return effects_of(result, ranking(result));
}

TEST(SweepAxis, IsByNumberWhereAllValuesHaveOneUnit) {
    SweepResult result = test::small_sweep();
    result.points[0].values[1] = "16 KiB";
    result.points[1].values[1] = "4 KiB";
    result.points[2].values[1] = "128 KiB";
    result.points[3].values[1] = "4 KiB";
    result.points[4].values[1] = "";

    EXPECT_THAT(axis_of(result, 1).values, ElementsAre("4 KiB", "16 KiB", "128 KiB"));
    EXPECT_EQ(axis_of(result, 1).kind, AxisKind::Numbers);
    result.points[2].values[1] = "1 MiB";
    EXPECT_THAT(axis_of(result, 1).values, ElementsAre("16 KiB", "4 KiB", "1 MiB"));
    EXPECT_EQ(axis_of(result, 1).kind, AxisKind::Names);
}

// Step gate: tokens 64 takes 3 us with K block 1 and 2 us with 4; tokens 32 takes 1 and 1.5 us.
TEST(SweepEffects, CompareOnlyPointsThatDifferInOneKey) {
    const std::vector<KeyEffect> all = effects(test::small_sweep());

    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].num_groups, 2U);
    EXPECT_DOUBLE_EQ(all[0].most, 3.0);
    EXPECT_DOUBLE_EQ(all[0].mean, std::sqrt(3.0 * (2.0 / 1.5)));
    EXPECT_DOUBLE_EQ(all[1].most, 1.5);
    EXPECT_DOUBLE_EQ(all[1].mean, 1.5);
}

TEST(SweepEffects, CountTheGroupsInWhichAValueIsFastest) {
    const KeyEffect k_block = effects(test::small_sweep())[1];

    EXPECT_THAT(k_block.axis.values, ElementsAre("1", "4", "1024"));
    EXPECT_THAT(k_block.wins, ElementsAre(1, 1, 0));
}

TEST(SweepEffects, OfEqualTimesTheFirstOfTheAxisIsFastest) {
    SweepResult result = test::small_sweep();
    for (const std::size_t point : {0U, 1U, 3U, 4U}) {
        result.points[point].figures = test::run_of(1000, 1000, 1000);
    }

    EXPECT_THAT(effects(result)[1].wins, ElementsAre(2, 0, 0));
    EXPECT_EQ(effects(result)[1].mean, 1.0);
}

TEST(SweepEffects, LeaveOutPointsThatDoNotSetTheKey) {
    SweepResult result = test::small_sweep();
    result.points[0].values[1] = "";

    EXPECT_EQ(effects(result)[1].num_groups, 1U);
}

}  // namespace
}  // namespace tessera::sweep
