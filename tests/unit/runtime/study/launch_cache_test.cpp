// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/launch_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/report/timing/timing_json.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/small_run.hpp"

namespace tessera::timed_run {
namespace {

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

// The second of two equal launches is that of the first at other starts.
TEST(LaunchCache, CountsThePathsThreadFromItsNewStart) {
    const compare::RecordedRun run = test::run_of_pairs();
    LaunchCache cache;

    const report::TimingReport kept = timed(run, &cache);

    EXPECT_EQ(cache.num_found(), 1U);
    EXPECT_EQ(json_of(kept), json_of(timed(run, nullptr)));
}

/// Four cores that read pages of 2 KiB, whose packets share wires.
compare::RecordedRun run_of_small_pages() {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    for (CoreTrace& core : run.trace.launches.front().cores) {
        for (TraceEvent& read : core.threads[0].events) {
            const NocPlace bank = TransferArgument::unpack(read.argument).place;
            const bool is_read = read.kind == EventKind::NocRead;
            read.argument = is_read ? TransferArgument{2048, bank}.pack() : read.argument;
        }
    }
    return run;
}

// A wire is booked in slices of 32.8 cycles, so that starts in one slice are tried. Replayed from
// these starts in place of 0, the launch takes 4 619 to 5 083 cycles.
TEST(LaunchCache, TimesDoNotDependOnTheStartFromWhichALaunchWasReplayed) {
    const compare::RecordedRun run = run_of_small_pages();
    const timing::Machine machine{run.machine.arch, run.machine.timing.expected, run.machine.mesh};
    const auto time_from = [&](Millicycles start) {
        const std::vector<Millicycles> starts{start};
        return timing::replay(run.trace, run.trace.launches[0], machine, {.device_start = starts})
                   .device_end.at(0) -
               start;
    };

    const Millicycles stated = time_from(0);
    for (const Millicycles start : {1'000, 7'700, 16'384, 20'001, 31'000}) {
        EXPECT_EQ(time_from(start), stated) << start;
    }
}

TEST(LaunchCache, RefusesToMoveALaunchInWhichAnotherDeviceThenEndsLast) {
    report::LaunchReport launch;
    launch.device_start = {0, 0};
    launch.device_end = {900, 1000};

    EXPECT_FALSE(restart(launch, std::vector<Millicycles>{200, 0}));
    EXPECT_THAT(launch.device_end, ::testing::ElementsAre(900, 1000));
    EXPECT_TRUE(restart(launch, std::vector<Millicycles>{50, 0}));
    EXPECT_THAT(launch.device_end, ::testing::ElementsAre(950, 1000));
}

// Both launches read the same. Before the second one device 1 is late, so that it ends last there.
TEST(LaunchCache, KeepsALaunchOnceForEachDeviceThatEndsLast) {
    compare::RecordedRun run = run_of_two_devices();
    std::vector<LaunchTrace>& launches = run.trace.launches;
    launches = {launches[0], launches[1], launches[0]};
    LaunchCache cache;
    const report::TimingReport report = timed(run, &cache);
    ASSERT_LT(report.launches[0].device_end[1], report.launches[0].device_end[0]);
    ASSERT_GT(report.launches[2].device_end[1], report.launches[2].device_end[0]);
    const std::size_t found = cache.num_found();

    EXPECT_EQ(json_of(timed(run, &cache)), json_of(report));
    EXPECT_EQ(cache.num_found() - found, 4U) << "three launches, the last one by two keys";
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
    EXPECT_THAT(found->factors, ::testing::ElementsAre(1.5, 0.25));
}

class DamagedFile : public ::testing::TestWithParam<std::size_t> {};

// One byte, the end, or all of the file is wrong.
TEST_P(DamagedFile, IsNotUsed) {
    const ScratchFolder folder;
    const compare::RecordedRun run = run_of_two_devices();
    LaunchCache(folder.path()).keep({{1, 2}}, {timed(run, nullptr).launches[0], {}});
    const auto path = std::filesystem::directory_iterator(folder.path())->path();
    const auto size = std::filesystem::file_size(path);
    ASSERT_NE(LaunchCache(folder.path()).find({{1, 2}}), nullptr);

    const std::size_t place = GetParam() * size / 10;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(place));
    const int byte = file.peek();
    file.seekp(static_cast<std::streamoff>(place));
    file.put(static_cast<char>(byte ^ 0x10));
    file.close();
    EXPECT_EQ(LaunchCache(folder.path()).find({{1, 2}}), nullptr) << "a byte";

    std::filesystem::resize_file(path, place);
    EXPECT_EQ(LaunchCache(folder.path()).find({{1, 2}}), nullptr) << "cut";
}

INSTANTIATE_TEST_SUITE_P(Tenths, DamagedFile, ::testing::Values(0, 3, 5, 9),
                         [](const auto& test) { return std::to_string(test.param); });

TEST(LaunchCache, RefusesTheFileOfAnotherKey) {
    const ScratchFolder folder;
    const compare::RecordedRun run = run_of_two_devices();
    LaunchCache(folder.path()).keep({{1, 2}}, {timed(run, nullptr).launches[0], {}});
    const auto path = std::filesystem::directory_iterator(folder.path())->path();

    std::filesystem::rename(path, folder.path() / "00000000000000030000000000000004.launch");

    EXPECT_EQ(LaunchCache(folder.path()).find({{3, 4}}), nullptr);
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
