// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/regime.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tessera/timing_spec.hpp"

namespace tessera::timing {
namespace {

/// Returns threads on so many cores; the first thread does what the path says.
LaunchTimeline timeline_of(std::uint32_t num_cores, std::vector<PathStep> path) {
    LaunchTimeline timeline;
    for (std::uint32_t x = 0; x < num_cores; ++x) {
        timeline.threads.push_back({.core = {x, 0}, .thread = TimelineThread::Reader});
    }
    for (PathStep& step : path) {
        step.thread = 0;
        step.begin = timeline.makespan;
        timeline.makespan += 10;
        step.end = timeline.makespan;
    }
    timeline.critical_path = std::move(path);
    return timeline;
}

LaunchTimeline wait_on(std::uint32_t num_cores, Activity activity, ResourceKind resource) {
    return timeline_of(num_cores, {{.activity = activity, .resource = resource}});
}

Millicycles time_in(const LaunchTimeline& timeline, Regime regime) {
    return regime_times(timeline)[static_cast<std::size_t>(regime)];
}

TEST(Regime, AddsUpToTheMakespan) {
    const auto timeline =
        timeline_of(9, {{.activity = Activity::NotStarted},
                        {.activity = Activity::ReadIssue},
                        {.activity = Activity::WaitNocRead, .resource = ResourceKind::Dram},
                        {.activity = Activity::Matmul}});
    const RegimeTimes times = regime_times(timeline);

    EXPECT_EQ(std::accumulate(times.begin(), times.end(), Millicycles{0}), timeline.makespan);
    EXPECT_EQ(time_in(timeline, Regime::Launch), 10);
    EXPECT_EQ(time_in(timeline, Regime::Issue), 10);
    EXPECT_EQ(time_in(timeline, Regime::DramFanOut), 10);
    EXPECT_EQ(time_in(timeline, Regime::Compute), 10);
}

TEST(Regime, TellsFourCoresFromFive) {
    const auto few = wait_on(4, Activity::WaitNocRead, ResourceKind::NocLink);
    const auto many = wait_on(5, Activity::WaitNocRead, ResourceKind::NocLink);

    EXPECT_EQ(time_in(few, Regime::FewCores), 10);
    EXPECT_EQ(time_in(many, Regime::ManyReads), 10);
    EXPECT_EQ(time_in(wait_on(4, Activity::WaitNocRead, ResourceKind::Dram), Regime::FewCores), 10);
}

TEST(Regime, TellsReadsFromWrites) {
    EXPECT_EQ(
        time_in(wait_on(5, Activity::WaitNocWrite, ResourceKind::NocLink), Regime::ManyWrites), 10);
    EXPECT_EQ(
        time_in(wait_on(5, Activity::WaitSemaphore, ResourceKind::NocLatency), Regime::ManyWrites),
        10);
}

TEST(Regime, TakesAWaitForASlotForWhatTheThreadIssuesMostOf) {
    auto reader = wait_on(5, Activity::WaitNocSlot, ResourceKind::NocInjection);
    reader.threads[0].totals[static_cast<std::size_t>(Activity::ReadIssue)] = 2;
    reader.threads[0].totals[static_cast<std::size_t>(Activity::WriteIssue)] = 1;
    auto writer = wait_on(5, Activity::WaitNocSlot, ResourceKind::NocInjection);
    writer.threads[0].totals[static_cast<std::size_t>(Activity::WriteIssue)] = 1;

    EXPECT_EQ(time_in(reader, Regime::ManyReads), 10);
    EXPECT_EQ(time_in(writer, Regime::ManyWrites), 10);
}

TEST(Regime, TakesWhatAMulticastingThreadSendsForMulticasts) {
    auto timeline = wait_on(5, Activity::WaitSemaphore, ResourceKind::NocLink);
    timeline.threads[0].totals[static_cast<std::size_t>(Activity::MulticastIssue)] = 1;

    EXPECT_EQ(time_in(timeline, Regime::Multicast), 10);
}

TEST(Regime, KnowsLinksBetweenDevicesAtAnyNumberOfCores) {
    EXPECT_EQ(time_in(wait_on(1, Activity::WaitSemaphore, ResourceKind::MeshLink), Regime::Links),
              10);
    EXPECT_EQ(
        time_in(wait_on(9, Activity::WaitSemaphore, ResourceKind::MeshLatency), Regime::Links), 10);
}

TEST(Regime, HasTheErrorOfItsName) {
    EXPECT_EQ(error_of({.many_reads = 0.7}, Regime::ManyReads), 0.7);
    EXPECT_EQ(error_of({.launch = 0.2}, Regime::Launch), 0.2);
    EXPECT_EQ(error_of({.compute = 0.1}, Regime::Compute), 0.1);
}

}  // namespace
}  // namespace tessera::timing
