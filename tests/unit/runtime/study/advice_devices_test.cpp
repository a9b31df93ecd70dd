// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/study/advice.hpp"
#include "tests/small_run.hpp"

namespace tessera::advise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Times = std::vector<Millicycles>;

timing::LaunchPartition independent(std::vector<std::size_t> representatives) {
    timing::LaunchPartition partition;
    for (std::uint32_t device = 0; device < representatives.size(); ++device) {
        partition.parts.push_back({{device, 1}, {}});
    }
    partition.num_devices = static_cast<std::uint32_t>(representatives.size());
    partition.representatives = std::move(representatives);
    return partition;
}

timing::LaunchPartition joint(std::uint32_t num_devices) {
    return {num_devices, {{{0, num_devices}, {}}}, {{}}, {0}};
}

/// Steps of a run: how their devices depend on each other, and their times and ends by device.
struct Step {
    timing::LaunchPartition partition;
    Times times;
    Times ends;
};

std::vector<std::vector<std::size_t>> parts_of(const std::vector<Step>& steps,
                                               RuleDevices devices = RuleDevices::Deciding) {
    std::vector<timing::LaunchPartition> partitions;
    std::vector<Times> times;
    report::TimingReport before;
    for (const Step& step : steps) {
        partitions.push_back(step.partition);
        times.push_back(step.times);
        before.launches.emplace_back().device_end = step.ends;
    }
    return parts_to_replay(partitions, before, times, devices);
}

TEST(RuleDevices, AreTheSlowestOneAndTheOneThatEndsLast) {
    EXPECT_THAT(parts_of({{independent({0, 1, 2}), {100, 50, 90}, {100, 140, 90}}}),
                ElementsAre(ElementsAre(0, 1)));
}

TEST(RuleDevices, LeaveTheSlowestOneOutIfTheLastOneIsAsSlow) {
    EXPECT_THAT(parts_of({{independent({0, 1, 2}), {1000, 985, 900}, {1000, 1400, 900}}}),
                ElementsAre(ElementsAre(1)));
}

// Device 1 ends the second step last. Its time in the first step decides when it gets there.
TEST(RuleDevices, AreThoseThatEndLastBeforeDevicesMeet) {
    EXPECT_THAT(parts_of({{independent({0, 1}), {100, 99}, {100, 99}},
                          {independent({0, 1}), {50, 71}, {150, 170}},
                          {joint(2), {30, 30}, {200, 200}},
                          {independent({0, 1}), {100, 99}, {100, 99}}}),
                ElementsAre(ElementsAre(1), ElementsAre(1), IsEmpty(), ElementsAre(0)));
}

TEST(RuleDevices, AreAllThatDifferIfAllAreWanted) {
    EXPECT_THAT(
        parts_of({{independent({0, 0, 2}), {100, 100, 50}, {100, 100, 50}}}, RuleDevices::All),
        ElementsAre(ElementsAre(0, 2)));
}

TEST(TimesAfter, ChangesOtherDevicesAsTheSlowestReplayedOne) {
    EXPECT_THAT(times_after(Times{100, 80, 60, 0}, Times{50, -1, 45, -1}),
                ElementsAre(50, 40, 45, 0));
}

/// Two devices; device 1 has half of the reads of device 0.
compare::RecordedRun run_of_two_devices() {
    compare::RecordedRun run = test::run_of_reads(test::kCamping);
    run.trace.mesh.shape = {1, 2};
    run.machine.mesh.shape = {1, 2};
    LaunchTrace& launch = run.trace.launches[0];
    for (std::size_t core = 0; core < 4; ++core) {
        launch.cores.push_back(launch.cores[core]);
        launch.cores.back().device = 1;
        auto& events = launch.cores.back().threads[0].events;
        events.erase(events.begin(), events.begin() + 24);
    }
    return run;
}

TEST(Advise, GivesTheTimesThatAReplayOfAllDevicesGives) {
    const Advice deciding = advise(run_of_two_devices());
    const Advice all = advise(run_of_two_devices(), RuleDevices::All);

    for (std::size_t i = 0; i < all.findings.size(); ++i) {
        EXPECT_EQ(deciding.findings[i].rule.name, all.findings[i].rule.name);
        EXPECT_EQ(deciding.findings[i].makespan, all.findings[i].makespan)
            << all.findings[i].rule.name;
    }
}

TEST(Advise, TakesTimesFromTheCacheOfLaunches) {
    timed_run::LaunchCache cache;
    compare::RecordedRun run = run_of_two_devices();
    run.cache = &cache;
    const auto replayed = to_json(advise(run));
    const std::size_t found = cache.num_found();

    EXPECT_EQ(to_json(advise(run)), replayed);
    EXPECT_GT(cache.num_found(), found + 10) << "the run, and a part for most rules";
}

}  // namespace
}  // namespace tessera::advise
