// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/launch_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/config/moved_timing.hpp"
#include "runtime/report/timing/timing_json.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/small_run.hpp"

namespace tessera::timed_run {
namespace {

using testing::Contains;
using testing::Not;

/// Two devices that read DRAM; device 1 reads less in the first launch, and more in the second.
compare::RecordedRun run_of_two_devices() {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    run.machine.mesh.shape = {1, 2};
    run.trace.mesh.shape = {1, 2};
    LaunchTrace& first = run.trace.launches.front();
    first.dispatch.push_back(first.dispatch.front());
    first.dispatch.back().device = 1;
    for (std::size_t core = 0; core < 4; ++core) {
        first.cores.push_back(first.cores[core]);
        first.cores.back().device = 1;
        auto& events = first.cores.back().threads[0].events;
        events.erase(events.begin(), events.begin() + 12);
    }
    LaunchTrace second = first;
    second.name = "up";
    auto& events = second.cores.back().threads[0].events;
    events.insert(events.begin(), 60, events.front());
    run.trace.launches.push_back(second);
    return run;
}

report::TimingReport timed(const compare::RecordedRun& run, LaunchCache* cache) {
    TimerOptions options{.cache = cache};
    options.budget.points = 0;
    options.budget.cb_points = 0;
    std::vector<RunTimer> timers;
    timers.emplace_back("run", run.machine, options);
    return time_trace(run, timers).front();
}

std::string json_of(const report::TimingReport& report) {
    return report::to_json(report, {}, nullptr).dump();
}

TEST(LaunchCache, GivesTheReportOfAReplay) {
    const compare::RecordedRun run = run_of_two_devices();
    LaunchCache cache;

    const std::string replayed = json_of(timed(run, nullptr));

    EXPECT_EQ(json_of(timed(run, &cache)), replayed) << "a replay that is kept";
    EXPECT_EQ(cache.num_found(), 0U);
    EXPECT_EQ(json_of(timed(run, &cache)), replayed) << "from memory";
    EXPECT_EQ(cache.num_found(), 2U);
}

// Alone, the second launch starts on both devices at once. After the first launch device 1 starts
// earlier.
TEST(LaunchCache, MovesALaunchToOtherStartsOfItsDevices) {
    const compare::RecordedRun run = run_of_two_devices();
    compare::RecordedRun second = run;
    second.trace.launches.erase(second.trace.launches.begin());
    LaunchCache cache;
    const report::TimingReport alone = timed(second, &cache);

    const report::TimingReport report = timed(run, &cache);

    EXPECT_EQ(cache.num_found(), 1U);
    ASSERT_NE(report.launches[1].device_start, alone.launches[0].device_start);
    EXPECT_EQ(json_of(report), json_of(timed(run, nullptr)));
}

TEST(LaunchCache, RefusesToMoveALaunchInWhichAnotherDeviceThenEndsLast) {
    report::LaunchReport launch;
    launch.device_start = {0, 0};
    launch.device_end = {900, 1000};

    EXPECT_FALSE(restart(launch, std::vector<Millicycles>{200, 0}));
    EXPECT_THAT(launch.device_end, testing::ElementsAre(900, 1000));
    EXPECT_TRUE(restart(launch, std::vector<Millicycles>{50, 0}));
    EXPECT_THAT(launch.device_end, testing::ElementsAre(950, 1000));
}

TEST(LaunchCache, FindsInItsFolderWhatAnotherProcessKept) {
    const ScratchFolder folder;
    const compare::RecordedRun run = run_of_two_devices();
    const LaunchKeys keys(run.machine, "test");
    const timing::PartKey key = keys.key_of(run.trace, run.trace.launches[0]);
    LaunchCache first(folder.path());
    first.keep(key, {timed(run, nullptr).launches[0], {1.5, 0.25}});

    const auto found = LaunchCache(folder.path()).find(key);

    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->report.name, "gate");
    EXPECT_THAT(found->factors, testing::ElementsAre(1.5, 0.25));
}

TEST(LaunchCache, ReplaysALaunchWhoseFileIsDamaged) {
    const ScratchFolder folder;
    const compare::RecordedRun run = run_of_two_devices();
    LaunchCache(folder.path()).keep({{1, 2}}, {timed(run, nullptr).launches[0], {}});
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
        std::ofstream(file.path(), std::ios::trunc) << "damaged";
    }

    EXPECT_EQ(LaunchCache(folder.path()).find({{1, 2}}), nullptr);
}

TEST(LaunchKeys, HoldOnlyConstantsThatALaunchReads) {
    const compare::RecordedRun run = run_of_two_devices();
    const LaunchKeys keys(run.machine, "test");

    const auto read = keys.constants_read(run.trace, run.trace.launches[0]);

    EXPECT_THAT(read, Contains("noc.hop"));
    EXPECT_THAT(read, Contains("dram.read_latency"));
    EXPECT_THAT(read, Contains("dispatch.kernel_start"));
    EXPECT_THAT(read, Not(Contains("dispatch.write_core")));
    EXPECT_THAT(read, Not(Contains("link.rate")));
    EXPECT_THAT(read, Not(Contains("compute.matmul_phase")));
    EXPECT_THAT(read, Not(Contains("sfpu.functions.exp")));
}

// The table of what a launch reads must not lack a constant: the cache would give old times.
TEST(LaunchKeys, AreTheSameOnlyForConstantsThatChangeNoTime) {
    const compare::RecordedRun run = test::run_of_reads(test::kCamping);
    const LaunchTrace& launch = run.trace.launches[0];
    const auto time_under = [&](const TimingSpec& timing) {
        return timing::replay(run.trace, launch, {run.machine.arch, timing, run.machine.mesh},
                              {.keeps = timing::Keep::Totals})
            .makespan;
    };
    const Millicycles stated = time_under(run.machine.timing.expected);
    const timing::PartKey key = LaunchKeys(run.machine, "test").key_of(run.trace, launch);

    for (const config::MovedTiming& moved : config::move_one_at_a_time(run.machine.timing)) {
        TimedMachine machine = run.machine;
        machine.timing.expected = moved.timing;
        if (LaunchKeys(machine, "test").key_of(run.trace, launch) == key) {
            EXPECT_EQ(time_under(moved.timing), stated) << moved.key;
        }
    }
}

// Two traces number their names in another order.
TEST(LaunchKeys, DependOnNamesAndNotOnTheirNumbers) {
    compare::RecordedRun run = run_of_two_devices();
    const LaunchKeys keys(run.machine, "test");
    const timing::PartKey key = keys.key_of(run.trace, run.trace.launches[0]);

    run.trace.names = {"", "other.cpp", "reader.cpp"};
    EXPECT_NE(keys.key_of(run.trace, run.trace.launches[0]), key) << "another kernel";
    for (CoreTrace& core : run.trace.launches[0].cores) {
        core.threads[0].kernel = 2;
        core.threads[0].sites[1].file = 2;
    }
    EXPECT_EQ(keys.key_of(run.trace, run.trace.launches[0]), key);
}

}  // namespace
}  // namespace tessera::timed_run
