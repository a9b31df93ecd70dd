// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/reduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "tessera/errors.hpp"
#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LaunchReport small_launch(const DrawBudget& budget = {}) {
    return small_report(budget).launches.front();
}

TEST(Reduce, KeepsTheTimesOfEachThreadWhole) {
    const LaunchReport launch = small_launch();

    ASSERT_EQ(launch.threads.size(), 5U);
    for (const ThreadReport& thread : launch.threads) {
        EXPECT_EQ(std::accumulate(thread.totals.begin(), thread.totals.end(), Millicycles{0}),
                  1000 * kCycle);
        EXPECT_EQ(thread.points.back().end, 1000 * kCycle);
    }
    EXPECT_EQ(launch.threads[0].finish, 700 * kCycle);
    EXPECT_EQ(launch.threads[2].finish, 1000 * kCycle);
}

TEST(Reduce, RefusesTimesThatDoNotClose) {
    LaunchTimeline timeline = small_timeline();
    timeline.threads[0].totals[0] += 1;

    EXPECT_THROW((void)reduce(kSmallNames, small_trace(), timeline,
                              {small_arch(), small_timing(), small_mesh()}),
                 InternalError);
}

TEST(Reduce, CountsTheWorkOfACoreFromItsTrace) {
    const LaunchReport launch = small_launch();

    const CoreReport& core = launch.cores[0];
    EXPECT_EQ(core.tile_products, 5U);
    EXPECT_EQ(core.tiles_packed, 2U);
    EXPECT_EQ(core.bytes_read, 3U * 2048);
    EXPECT_EQ(core.ideal_math, 5 * 2 * 16 * kCycle) << "products × phases of HiFi2 × cycles";
    EXPECT_EQ(core.busy_math, 200 * kCycle);
    EXPECT_EQ(core.begin, 100 * kCycle);
    EXPECT_EQ(core.finish, 1000 * kCycle);
    EXPECT_EQ(launch.work.given_time, 2 * 1000 * kCycle);
    EXPECT_EQ(launch.cores[1].finish, 900 * kCycle);
}

TEST(Reduce, AddsThePathUpToTheMakespan) {
    const LaunchReport launch = small_launch();

    Millicycles sum = 0;
    for (const PathPart& part : launch.path) {
        sum += part.time;
    }
    EXPECT_EQ(sum, 1000 * kCycle);
    EXPECT_EQ(bound_name(launch.path[0]), "DRAM");
    EXPECT_EQ(launch.path[0].time, 400 * kCycle);
    EXPECT_EQ(launch.lines[launch.path[0].line], (SourceLine{"reader.cpp", 20}));
    EXPECT_EQ(launch.threads[0].on_path, 700 * kCycle);
}

TEST(Reduce, CallsGapsBetweenLaunchesByTheirName) {
    const std::vector<BoundShare> bounds = bounds_of(small_report());

    ASSERT_FALSE(bounds.empty());
    EXPECT_EQ(bounds.back().name, "between launches");
    EXPECT_EQ(bounds.back().time, 50 * kCycle);
}

TEST(Reduce, RanksAStallByWhatItsEnderDidNotPassOn) {
    const LaunchReport launch = small_launch();

    ASSERT_EQ(launch.stalls.size(), 4U);
    const StallReport& read = launch.stalls[0];
    EXPECT_EQ(read.activity, Activity::WaitNocRead);
    EXPECT_EQ(read.direct, 500 * kCycle) << "all of it travelled";
    EXPECT_EQ(read.object, "DRAM");
    EXPECT_EQ(read.worst_object, "DRAM bank 1");
    EXPECT_EQ(read.transit[static_cast<std::size_t>(ResourceKind::Dram)], 400 * kCycle);
    const StallReport& source = launch.stalls[1];
    EXPECT_EQ(source.activity, Activity::WaitSource);
    EXPECT_EQ(source.direct, 100 * kCycle) << "unpack waited itself until 700";
    const StallReport& data = launch.stalls[2];
    EXPECT_EQ(data.activity, Activity::WaitCbData);
    EXPECT_EQ(data.total, 600 * kCycle);
    EXPECT_EQ(data.direct, 100 * kCycle) << "the reader was busy from 100 to 200 only";
    EXPECT_EQ(data.ender, TimelineThread::Reader);
    EXPECT_EQ(launch.lines[data.ender_line], (SourceLine{"reader.cpp", 20}));
}

TEST(Reduce, NamesWhoEndedAWaitOfAnotherCore) {
    const LaunchReport launch = small_launch();

    const auto stall =
        std::ranges::find(launch.stalls, Activity::WaitSemaphore, &StallReport::activity);
    ASSERT_NE(stall, launch.stalls.end());
    EXPECT_EQ(stall->object, "L1 address 0x8130");
    EXPECT_EQ(stall->worst_core, (CoreCoord{1, 0}));
    EXPECT_EQ(stall->ender_core, (CoreCoord{0, 0}));
    EXPECT_EQ(stall->ender, TimelineThread::Math);
}

TEST(Reduce, DrawsWholeCoresOfThePathWhereTheBudgetIsSmall) {
    const LaunchReport launch = small_launch({.points = 4 * 96, .cb_points = 10});

    EXPECT_TRUE(launch.is_drawn_in_part);
    EXPECT_EQ(launch.threads[0].points.size(), 4U);
    EXPECT_THAT(launch.threads[4].points, IsEmpty()) << "core (1,0) is not on the path";
    EXPECT_THAT(launch.cbs, IsEmpty());
}

// At compute.cpp:20 unpack works for 100 cycles, math waits for 700 and then works for 200.
TEST(Reduce, SumsWhatAllThreadsDoAtALine) {
    const LaunchReport launch = small_report().launches[0];
    const auto line = std::ranges::find(launch.lines, SourceLine{"compute.cpp", 20});
    ASSERT_NE(line, launch.lines.end());

    const LineTime time =
        launch.line_times.at(static_cast<std::size_t>(line - launch.lines.begin()));

    EXPECT_EQ(time.busy, 300 * kCycle);
    EXPECT_EQ(time.waiting, 700 * kCycle);
    EXPECT_EQ(launch.line_times.size(), launch.lines.size());
}

TEST(Reduce, IntegratesTheFillOfCbs) {
    const LaunchReport launch = small_launch();

    ASSERT_EQ(launch.cbs.size(), 1U);
    EXPECT_EQ(launch.cbs[0].capacity, 4U);
    EXPECT_EQ(launch.cbs[0].most, 3U);
    EXPECT_DOUBLE_EQ(launch.cbs[0].mean, (100 * 3 + 200 * 1) / 1000.0);
}

/// Two launches of 1 000 cycles, the second begins 600 cycles after the first.
TimingReport overlapping_report() {
    TimingReport report = small_report();
    report.launches[0].start = 0;
    report.launches.push_back(report.launches[0]);
    report.launches[1].start = 600 * kCycle;
    report.makespan.expected = 1600 * kCycle;
    return report;
}

TEST(RunPath, CountsALaunchFromTheEndOfThoseBefore) {
    const TimingReport report = overlapping_report();

    const std::vector<LaunchWindow> windows = launch_windows(report);

    EXPECT_EQ(windows[0].from, 0);
    EXPECT_EQ(windows[1].from, 400 * kCycle) << "1 000 in the run";
    EXPECT_EQ(windows[1].until, 1000 * kCycle);
}

TEST(RunPath, AddsUpToTheRun) {
    const TimingReport report = overlapping_report();

    Millicycles sum = 0;
    for (const BoundShare& bound : bounds_of(report)) {
        sum += bound.time;
    }

    EXPECT_EQ(sum, 1600 * kCycle);
    EXPECT_EQ(bounds_of(report)[0].name, "DRAM");
    EXPECT_EQ(bounds_of(report)[0].time, (400 + 200) * kCycle);
}

TEST(RunPath, KnowsTheThreadsOfAWindow) {
    const TimingReport report = overlapping_report();

    const RunShare second = run_shares(report).at(1);

    EXPECT_EQ(second.time, 600 * kCycle);
    EXPECT_THAT(second.threads, ElementsAre(300 * kCycle, 100 * kCycle, 200 * kCycle, 0, 0));
}

TEST(TimingFigures, CompareWithPeaks) {
    const TimingReport report = small_report();

    const AchievedRates rates = achieved(report.launches[0], report.peak);

    EXPECT_DOUBLE_EQ(report.peak.flops_per_cycle, 2 * 65536.0 / 16);
    EXPECT_DOUBLE_EQ(rates.compute.per_cycle, 5 * 65536.0 / 1000);
    EXPECT_DOUBLE_EQ(rates.fpu_share, 160.0 / (2 * 1000));
    EXPECT_DOUBLE_EQ(rates.dram.share, 6.144 / 32);
    EXPECT_DOUBLE_EQ(rates.busiest_link, 0.25);
    EXPECT_DOUBLE_EQ(imbalance_of(report.launches[0]).factor, 900 / 900.0)
        << "100 to 1 000, 0 to 900";
}

TEST(TimingFigures, MapTheMathOfEachCore) {
    EXPECT_THAT(core_shares(small_report(), CoreMetric::Math), ElementsAre(200 / 1050.0, 0));
    EXPECT_THAT(core_shares(small_report(), CoreMetric::Busy),
                ElementsAre(200 / 1050.0, 100 / 1050.0));
}

}  // namespace
}  // namespace tessera::report
