// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/early_parts.hpp"

#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

/// Builds one device per number, whose reader issues that many reads in sequence.
TraceBuilder devices_that_read(const std::vector<std::uint32_t>& times) {
    TraceBuilder builder(static_cast<std::uint32_t>(times.size()));
    for (std::size_t device = 0; device < times.size(); ++device) {
        std::vector<TraceEvent> events;
        for (std::uint32_t i = 0; i < times[device]; ++i) {
            events.push_back(read(64, 1));
            events.push_back(event(ReadBarrier));
        }
        builder.core({0, 0}, {}, static_cast<std::uint16_t>(device)).reader(events);
    }
    return builder;
}

LaunchTimeline replay_with(const TraceBuilder& builder, const TimingSpec& timing,
                           const std::vector<Millicycles>& known) {
    const std::vector<Millicycles> starts(builder.mesh.shape.num_devices());
    return replay(builder.trace, builder.trace.launches[0], {builder.arch, timing, builder.mesh},
                  {.device_start = starts, .known_times = known});
}

std::vector<bool> left_out(const TraceBuilder& builder, const std::vector<Millicycles>& known,
                           const std::vector<Millicycles>& starts) {
    const LaunchPartition parts =
        partition(builder.trace.launches[0], builder.mesh.shape.num_devices());
    const EarlyParts early(parts, known, starts);
    std::vector<bool> is_left_out;
    for (std::size_t part = 0; part < parts.parts.size(); ++part) {
        is_left_out.push_back(early.is_left_out(part));
    }
    return is_left_out;
}

TEST(EarlyParts, AreThoseThatEndBeforeNineTenthsOfTheLaunch) {
    const TraceBuilder builder = devices_that_read({1, 2, 3, 4});

    EXPECT_EQ(left_out(builder, {89, 90, 100, 10}, {0, 0, 0, 85}),
              (std::vector<bool>{true, false, false, false}));
}

TEST(EarlyParts, AreNoneWhereNothingIsKnown) {
    const TraceBuilder builder = devices_that_read({1, 2, 3, 4});

    EXPECT_EQ(left_out(builder, {}, {}), std::vector<bool>(4));
}

TEST(EarlyParts, AreReplayedForAnIdenticalPartThatIsLate) {
    const TraceBuilder builder = devices_that_read({1, 1, 2});

    EXPECT_EQ(left_out(builder, {50, 50, 100}, {0, 45, 0}),
              (std::vector<bool>{false, false, false}));
}

TEST(EarlyParts, KeepTheirTimeWhereTheLastDeviceHadNothingToDo) {
    const TraceBuilder builder = devices_that_read({1, 2});
    const LaunchPartition parts = partition(builder.trace.launches[0], 2);
    const std::vector<Millicycles> known{40, 0};
    const std::vector<Millicycles> starts{0, 100};
    std::vector<LaunchTimeline> timelines(2);
    timelines[1].makespan = 100;

    EarlyParts(parts, known, starts).fill(timelines);

    EXPECT_EQ(timelines[0].makespan, 40);
    EXPECT_EQ(timelines[0].device_end, (std::vector<Millicycles>{40, 0}));
}

TEST(EarlyParts, LeaveTheLaunchItsEndUnderOtherConstants) {
    TraceBuilder builder = devices_that_read({1, 12, 3});
    const LaunchTimeline stated = replay_with(builder, builder.timing, {});
    TimingSpec slower = builder.timing;
    slower.risc.read_issue_dram = Cycles{slower.risc.read_issue_dram.value + 50};

    const LaunchTimeline whole = replay_with(builder, slower, {});
    const LaunchTimeline part = replay_with(builder, slower, device_times(stated));

    EXPECT_EQ(part.makespan, whole.makespan);
    EXPECT_EQ(part.device_end[1], whole.device_end[1]);
    EXPECT_LT(part.threads.size(), whole.threads.size());
    // The end of each other device moves as that of the last device.
    const auto moved = [&](std::size_t device) {
        return static_cast<double>(part.device_end[device]) /
               static_cast<double>(stated.device_end[device]);
    };
    EXPECT_GT(moved(1), 1);
    EXPECT_NEAR(moved(0), moved(1), 1e-4);
    EXPECT_NEAR(moved(2), moved(1), 1e-4);
}

}  // namespace
}  // namespace tessera::timing
