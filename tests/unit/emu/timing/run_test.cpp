// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/run.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

/// Two launches on `num_devices` devices: 10 calls of 18 cycles on device 0, 20 on each other
/// device.
TraceBuilder two_launches(std::uint32_t num_devices) {
    TraceBuilder builder(num_devices);
    builder.timing.dispatch.program_gap = Cycles{700};
    builder.timing.dispatch.prefetch_program = Cycles{29};
    builder.timing.dispatch.stream_rate = BytesPerCycle{12};
    builder.timing.noc.write_rate = BytesPerCycle{12};
    builder.trace.mesh = builder.mesh;
    LaunchTrace& launch = builder.trace.launches[0];
    for (std::uint16_t device = 0; device < num_devices; ++device) {
        builder.core({0, 0}, {}, device).reader({event(NocSetState, 0, device == 0 ? 10 : 20)});
        DispatchTrace dispatch;
        dispatch.device = device;
        dispatch.cores = 1;
        dispatch.unique_args = 3;
        launch.dispatch.push_back(dispatch);
    }
    builder.trace.launches.push_back(builder.trace.launches[0]);
    return builder;
}

TEST(RunReplay, LeavesTheGapBetweenProgramsOfADevice) {
    const TraceBuilder builder = two_launches(1);

    const RunTimeline run = replay_run(builder.trace, {builder.arch, builder.timing, builder.mesh});

    // A program takes 29 cycles to stream, and its 3 words one cycle; then 180 cycles, a gap of
    // 700, 180.
    ASSERT_EQ(run.launches.size(), 2U);
    EXPECT_EQ(run.launches[0].start, 30 * kCycle);
    EXPECT_EQ(run.launches[0].makespan, 180 * kCycle);
    EXPECT_EQ(run.launches[1].start, (30 + 180 + 700) * kCycle);
    EXPECT_EQ(run.makespan, (30 + 180 + 700 + 180) * kCycle);
}

TEST(RunReplay, WaitsForDispatchIfThatTakesLonger) {
    TraceBuilder builder = two_launches(1);
    builder.timing.dispatch.prefetch_program = Cycles{1499};

    const RunTimeline run = replay_run(builder.trace, {builder.arch, builder.timing, builder.mesh});

    // After the first program's: 1500 cycles of dispatch.
    EXPECT_EQ(run.launches[1].start - run.launches[0].start, 1500 * kCycle);
}

TEST(RunReplay, StartsEachDeviceBehindItsOwnProgram) {
    const TraceBuilder builder = two_launches(2);

    const RunTimeline run = replay_run(builder.trace, {builder.arch, builder.timing, builder.mesh});

    // Device 0 ends 180 cycles earlier and begins its next program earlier by the same time.
    EXPECT_EQ(run.launches[1].start, (30 + 180 + 700) * kCycle);
    EXPECT_EQ(run.launches[1].device_end.at(0), 180 * kCycle);
    EXPECT_EQ(run.launches[1].device_end.at(1), (180 + 360) * kCycle);
    EXPECT_EQ(cycles_of(run.launches[1], 1, Activity::NotStarted), 180);
    EXPECT_EQ(run.launches[1].device_start.at(1), 180 * kCycle);
    EXPECT_EQ(device_time(run.launches[1]), 360 * kCycle);
    EXPECT_EQ(run.makespan, (30 + 360 + 700 + 360) * kCycle);
}

// The test above, with the second launch given in place of replayed.
TEST(RunReplay, TakesALaunchWhoseTimesAreKnown) {
    const TraceBuilder builder = two_launches(2);
    RunReplay replay({builder.arch, builder.timing, builder.mesh});
    (void)replay.add(builder.trace, builder.trace.launches[0]);

    const std::vector<Millicycles> times{180 * kCycle, 360 * kCycle};
    const LaunchTimeline launch = replay.add_known(builder.trace.launches[1], times);

    EXPECT_EQ(launch.start, (30 + 180 + 700) * kCycle);
    EXPECT_EQ(launch.device_start.at(1), 180 * kCycle);
    EXPECT_EQ(launch.device_end.at(1), (180 + 360) * kCycle);
    EXPECT_EQ(launch.makespan, (180 + 360) * kCycle);
    EXPECT_EQ(replay.makespan(), (30 + 360 + 700 + 360) * kCycle);
}

TEST(RunReplay, RefusesATraceOfAnotherMesh) {
    const TraceBuilder builder = two_launches(2);
    const TraceBuilder other(3);

    EXPECT_THROW((void)replay_run(builder.trace, {other.arch, other.timing, other.mesh}),
                 UsageError);
}

}  // namespace
}  // namespace tessera::timing
