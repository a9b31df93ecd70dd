// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_timer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emu/base/isolated_for.hpp"
#include "runtime/report/timing/timing_json.hpp"
#include "tests/small_run.hpp"

namespace tessera::timed_run {
namespace {

RunTimer timer_of(const compare::RecordedRun& run, std::size_t points, LaunchCache* cache) {
    TimerOptions options{.cache = cache};
    options.budget.points = points;
    options.budget.cb_points = points;
    return {"run", run.machine, options};
}

std::string json_of(const report::TimingReport& report) {
    return report::to_json(report, {}, nullptr).dump();
}

std::string one_by_one(const compare::RecordedRun& run, std::size_t points) {
    RunTimer timer = timer_of(run, points, nullptr);
    for (const LaunchTrace& launch : run.trace.launches) {
        timer.add(run.trace, launch);
    }
    return json_of(timer.finish());
}

/// Begins all launches side by side, then adds them.
std::string begun_together(const compare::RecordedRun& run, RunTimer timer) {
    std::vector<LaunchAhead> ahead(run.trace.launches.size());
    isolated_for(ahead.size(),
                 [&](std::size_t i) { ahead[i] = timer.begin(run.trace, run.trace.launches[i]); });
    for (std::size_t i = 0; i < ahead.size(); ++i) {
        timer.add(run.trace, run.trace.launches[i], std::move(ahead[i]));
    }
    return json_of(timer.finish());
}

TEST(RunTimer, GivesTheSameReportForLaunchesThatAreBegunTogether) {
    const compare::RecordedRun run = test::run_of_pairs();
    LaunchCache cache;

    EXPECT_EQ(begun_together(run, timer_of(run, 0, nullptr)), one_by_one(run, 0));
    EXPECT_EQ(begun_together(run, timer_of(run, 500, nullptr)), one_by_one(run, 500)) << "drawn";
    EXPECT_EQ(begun_together(run, timer_of(run, 0, &cache)), one_by_one(run, 0)) << "kept";
    EXPECT_EQ(begun_together(run, timer_of(run, 0, &cache)), one_by_one(run, 0)) << "from memory";
}

// The run has two pairs of identical devices, and its last two launches are equal.
TEST(RunTimer, ReplaysEachPartOfLaunchesAheadOnce) {
    const compare::RecordedRun run = test::run_of_pairs();
    const auto& launches = run.trace.launches;
    RunTimer timer = timer_of(run, 0, nullptr);

    LaunchAhead second = timer.begin(run.trace, launches[1]);
    LaunchAhead third = timer.begin(run.trace, launches[2]);
    LaunchAhead first = timer.begin(run.trace, launches[0]);

    EXPECT_EQ(second.timelines.size(), 2U);
    EXPECT_EQ(third.timelines.size(), 0U) << "the second launch has them";
    EXPECT_EQ(first.timelines.size(), 2U);
    timer.add(run.trace, launches[0], std::move(first));
    EXPECT_EQ(timer.begin(run.trace, launches[0]).timelines.size(), 0U) << "kept until the next";
    timer.add(run.trace, launches[1], std::move(second));
    EXPECT_EQ(timer.begin(run.trace, launches[0]).timelines.size(), 2U);
    timer.add(run.trace, launches[2], std::move(third));
    EXPECT_EQ(json_of(timer.finish()), one_by_one(run, 0));
}

// No thread raises the semaphore, so the replay of the second launch cannot end.
TEST(RunTimer, LeavesAnErrorToTheLaunchThatHasIt) {
    compare::RecordedRun run = test::run_of_pairs();
    run.trace.launches[1].cores[0].threads[0].events.push_back(
        {.kind = EventKind::SemaphoreWait, .site = 1, .count = 1, .argument = 64});
    RunTimer timer = timer_of(run, 0, nullptr);

    LaunchAhead second = timer.begin(run.trace, run.trace.launches[1]);
    timer.add(run.trace, run.trace.launches[0], timer.begin(run.trace, run.trace.launches[0]));

    EXPECT_THROW(timer.add(run.trace, run.trace.launches[1], std::move(second)), Error);
    EXPECT_EQ(timer.finish().launches.size(), 1U);
}

}  // namespace
}  // namespace tessera::timed_run
