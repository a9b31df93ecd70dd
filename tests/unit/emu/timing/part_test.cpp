// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/part.hpp"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>

#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

/// One core per device: its reader fills a CB and its writer empties it. Device 1 reads three
/// times, device 0 once.
TraceBuilder two_devices() {
    TraceBuilder builder(2);
    for (std::uint16_t device = 0; device < 2; ++device) {
        const std::uint32_t reads = device == 0 ? 1 : 3;
        builder.core({0, 0}, {4}, device)
            .reader({read(64, reads), event(ReadBarrier), cb(CbPush, 0, 1)})
            .writer({cb(CbWait, 0, 1), cb(CbPop, 0, 1)});
    }
    return builder;
}

TEST(LaunchParts, AreTheDevicesOfALaunch) {
    const TraceBuilder builder = two_devices();

    const auto parts = parts_of(builder.trace.launches[0], 2);

    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[1].devices.first, 1U);
    EXPECT_EQ(parts[1].devices.count, 1U);
    EXPECT_EQ(parts[1].cores.data(), &builder.trace.launches[0].cores[1]);
    EXPECT_EQ(parts[1].cores.size(), 1U);
}

TEST(LaunchParts, AreOneIfDevicesSendPackets) {
    TraceBuilder builder = two_devices();
    builder.trace.launches[0].cores[1].threads[0].events.push_back(event(FabricOpen));

    const auto parts = parts_of(builder.trace.launches[0], 2);

    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].devices.count, 2U);
    EXPECT_EQ(parts[0].cores.size(), 2U);
}

TEST(LaunchParts, TakeAsLongTogetherAsTheLongest) {
    // Device 0 reads 25 + kRead, polls 10 and pushes 6; device 1 issues two more reads.
    const LaunchTimeline timeline = two_devices().run();

    const Millicycles first = 25 * kCycle + fixed::kRead + 16 * kCycle;
    EXPECT_EQ(timeline.device_end[0], first + 13 * kCycle);
    EXPECT_EQ(timeline.device_end[1], first + (50 + 13) * kCycle);
    EXPECT_EQ(timeline.makespan, timeline.device_end[1]);
    for (const ThreadTimeline& thread : timeline.threads) {
        EXPECT_EQ(thread.intervals.back().end, timeline.makespan);
    }
    EXPECT_EQ(cycles_of(timeline, 1, Activity::Finished), 50);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::Finished), 63);
}

TEST(LaunchParts, NameTheirOwnThreadsAsCauses) {
    const LaunchTimeline timeline = two_devices().run();

    ASSERT_EQ(timeline.threads.size(), 4U);
    for (std::uint32_t i = 0; i < 4; ++i) {
        for (const Interval& interval : timeline.threads[i].intervals) {
            if (interval.cause != kNoCause) {
                EXPECT_EQ(timeline.causes.at(interval.cause).thread, i / 2 * 2);
            }
        }
    }
    EXPECT_EQ(timeline.critical_path.back().end, timeline.makespan);
    EXPECT_EQ(timeline.threads[timeline.critical_path.back().thread].device, 1);
}

// An error in another replay cancels this one: the same launch at another end of the ranges.
TEST(LaunchParts, AreAllReplayedInsideACancelledTask) {
    const TraceBuilder builder = two_devices();
    LaunchTimeline timeline;

    tbb::parallel_for(0, 1, [&](int) {
        tbb::task::current_context()->cancel_group_execution();
        timeline = builder.run();
    });

    EXPECT_EQ(timeline.threads.size(), 4U);
    EXPECT_EQ(timeline.makespan, builder.run().makespan);
}

}  // namespace
}  // namespace tessera::timing
