// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/report/timing/drawing.hpp"

namespace tessera::report {
namespace {

/// One long interval, then `count` pairs of 1 wait and 3 busy millicycles.
std::vector<Interval> pairs(std::size_t count) {
    std::vector<Interval> intervals{{1000, kNoCause, 0, 7, Activity::Start}};
    for (std::size_t i = 0; i < count; ++i) {
        const Millicycles begin = intervals.back().end;
        intervals.push_back({begin + 1, 0, 0, 1, Activity::WaitCbData});
        intervals.push_back({begin + 4, kNoCause, 0, 2, Activity::Matmul});
    }
    return intervals;
}

TEST(DrawPoints, KeepsAllIntervalsUpToTheLimit) {
    const auto intervals = pairs(2);

    const ThreadPoints drawn = draw_points(intervals, 5);

    ASSERT_EQ(drawn.points.size(), 5U);
    EXPECT_EQ(drawn.merged_below, 0);
    EXPECT_EQ(drawn.points[1].activity, Activity::WaitCbData);
    EXPECT_EQ(drawn.points[1].cause, 0U);
}

TEST(DrawPoints, MergesShortOnesUnderWhatTakesMostAndKeepsLongOnes) {
    const auto intervals = pairs(1000);  // 5 000 millicycles

    const ThreadPoints drawn = draw_points(intervals, 100);

    EXPECT_EQ(drawn.merged_below, 100);
    EXPECT_LE(drawn.points.size(), 201U);
    EXPECT_EQ(drawn.points[0].end, 1000);
    EXPECT_FALSE(drawn.points[0].is_merged);
    EXPECT_EQ(drawn.points[1].activity, Activity::Matmul);
    EXPECT_TRUE(drawn.points[1].is_merged);
    EXPECT_EQ(drawn.points[1].line, 2U);
    EXPECT_EQ(drawn.points[1].cause, kNoCause);
    EXPECT_EQ(drawn.points.back().end, 5000);
}

TEST(DrawPoints, DrawsNothingOfNothing) {
    EXPECT_TRUE(draw_points({}, 10).points.empty());
}

}  // namespace
}  // namespace tessera::report
