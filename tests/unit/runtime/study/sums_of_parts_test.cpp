// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sums_of_parts.hpp"

#include <gtest/gtest.h>

#include "runtime/study/time_trace.hpp"
#include "tests/small_run.hpp"

namespace tessera::timed_run {
namespace {

report::TimingReport timed(const compare::RecordedRun& run, std::size_t points) {
    TimerOptions options;
    options.budget.points = points;
    options.budget.cb_points = points;
    std::vector<RunTimer> timers;
    timers.emplace_back("run", run.machine, options);
    return time_trace(run, timers).front();
}

void expect_same(const report::StallReport& a, const report::StallReport& b) {
    EXPECT_EQ(a.object, b.object);
    EXPECT_EQ(a.waiter_line, b.waiter_line);
    EXPECT_EQ(a.total, b.total);
    EXPECT_EQ(a.direct, b.direct);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.transit, b.transit);
    EXPECT_EQ(a.worst_device, b.worst_device);
    EXPECT_EQ(a.worst_core, b.worst_core);
    EXPECT_EQ(a.worst_begin, b.worst_begin);
    EXPECT_EQ(a.worst_end, b.worst_end);
    EXPECT_EQ(a.ender_device, b.ender_device);
}

// A drawn report keeps the intervals of all devices; others sum them part by part.
TEST(SumsOfParts, GiveTheReportOfTheWholeTimeline) {
    const compare::RecordedRun run = test::run_of_pairs();

    const report::TimingReport drawn = timed(run, 500'000);
    const report::TimingReport summed = timed(run, 0);

    ASSERT_FALSE(drawn.launches[1].threads[0].points.empty());
    ASSERT_TRUE(summed.launches[1].threads[0].points.empty());
    EXPECT_EQ(summed.makespan.expected, drawn.makespan.expected);
    EXPECT_EQ(summed.makespan.high, drawn.makespan.high);
    for (std::size_t launch = 0; launch < 3; ++launch) {
        const report::LaunchReport& a = summed.launches[launch];
        const report::LaunchReport& b = drawn.launches[launch];
        ASSERT_FALSE(b.stalls.empty());
        ASSERT_EQ(a.stalls.size(), b.stalls.size());
        for (std::size_t i = 0; i < a.stalls.size(); ++i) {
            expect_same(a.stalls[i], b.stalls[i]);
        }
        for (std::size_t i = 0; i < a.threads.size(); ++i) {
            EXPECT_EQ(a.threads[i].num_intervals, b.threads[i].num_intervals) << i;
            EXPECT_EQ(a.threads[i].on_path, b.threads[i].on_path) << i;
        }
        ASSERT_EQ(a.line_times.size(), b.line_times.size());
        for (std::size_t i = 0; i < a.line_times.size(); ++i) {
            EXPECT_EQ(a.line_times[i].busy, b.line_times[i].busy) << i;
            EXPECT_EQ(a.line_times[i].waiting, b.line_times[i].waiting) << i;
        }
    }
}

}  // namespace
}  // namespace tessera::timed_run
