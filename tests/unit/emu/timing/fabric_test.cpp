// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;
constexpr std::uint32_t kAddress = 0xA000;

TraceEvent packet(std::uint16_t device, std::uint8_t hops = 1, bool has_add = true) {
    const FabricArgument argument{
        .device = device, .place = NocPlace::worker({0, 0}), .hops = hops, .has_add = has_add};
    return event(FabricPacket, 0, 4096, argument.pack());
}
TraceEvent multicast(std::uint16_t device, std::uint8_t from, std::uint8_t hops) {
    const FabricArgument argument{.device = device,
                                  .place = NocPlace::worker({0, 0}),
                                  .hops = hops,
                                  .is_multicast = true,
                                  .has_add = true,
                                  .multicast_from = from};
    return event(FabricPacket, 0, 4096, argument.pack());
}
TraceEvent word(EventKind kind, std::uint16_t device, std::uint32_t value) {
    return event(kind, 0, value, WordArgument{kAddress, NocPlace::worker({0, 0}), device}.pack());
}
TraceEvent wait_for(std::uint32_t value) {
    return event(SemaphoreWait, 0, value, kAddress);
}

// Cycles: worker_issue 80, open 70, close 90.
TEST(Fabric, APacketCarriesItsWord) {
    TraceBuilder builder(2);
    builder.core({0, 0}).reader({event(FabricOpen), packet(1), word(FabricAdd, 1, 3), packet(1),
                                 word(FabricWord, 1, 7), event(FabricClose)});
    builder.core({0, 0}, {}, 1).reader({wait_for(3), wait_for(7)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, 0, Activity::FabricIssue), 320);
    EXPECT_EQ(cycles_of(timeline, 1, Activity::WaitSemaphore), 230 + 100 - 8);
    EXPECT_EQ(timeline.device_end.at(0), 320 * kCycle);
    EXPECT_EQ(timeline.device_end.at(1), 338 * kCycle);
}

TEST(Fabric, AMulticastChangesTheWordOfEachDeviceOfItsRange) {
    TraceBuilder builder(3);
    builder.core({0, 0}).reader({multicast(2, 1, 2), word(FabricAdd, 2, 1)});
    builder.core({0, 0}, {}, 1).reader({wait_for(1)});
    builder.core({0, 0}, {}, 2).reader({wait_for(1)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(timeline.device_end.at(1), 188 * kCycle);
    EXPECT_EQ(timeline.device_end.at(2), 188 * kCycle);
}

TEST(Fabric, AWordOfABoxHasRoomForItsSidesBesideAllElse) {
    const FabricArgument box{.device = 0xFFFF,
                             .place = NocPlace::worker({7, 7}),
                             .hops = 31,
                             .is_multicast = true,
                             .has_add = true,
                             .is_fused = true,
                             .flushes = true,
                             .multicast_from = 1,
                             .more_parts = 3,
                             .east = 31,
                             .west = 30,
                             .is_mesh_route = true};

    const FabricArgument same = FabricArgument::unpack(box.pack());

    EXPECT_EQ(same.more_parts, 3);
    EXPECT_EQ(same.east, 31);
    EXPECT_EQ(same.west, 30);
    EXPECT_EQ(same.hops, 31);
    EXPECT_TRUE(same.is_mesh_route);
    EXPECT_EQ(same.pack(), box.pack());
}

TEST(Fabric, AMulticastPassesDevicesBeforeItsRangeBy) {
    TraceBuilder builder(3);
    builder.core({0, 0}).reader({multicast(2, 2, 2), word(FabricAdd, 2, 1)});
    builder.core({0, 0}, {}, 1).reader({wait_for(1)});
    builder.core({0, 0}, {}, 2).reader({wait_for(1)});

    EXPECT_THAT([&] { (void)builder.run(); },
                ::testing::ThrowsMessage<InternalError>(
                    ::testing::HasSubstr("1 threads wait for ever:\n  device 1 core (0,0)")));
}

TEST(Fabric, RefusesAPacketWhoseWordDoesNotFollow) {
    TraceBuilder builder(2);
    builder.core({0, 0}).reader({event(FabricOpen), packet(1), event(FabricClose)});

    EXPECT_THAT([&] { (void)builder.run(); }, ::testing::ThrowsMessage<UsageError>(
                                                  "trace: event 1: FabricPacket has has_add, but "
                                                  "no FabricAdd or FabricWord follows"));
}

// Channels are ordered by direction, then by link: 5 is link 1 to the west.
TEST(Fabric, RefusesALinkThatTheMachineLacks) {
    TraceBuilder builder(2);
    TraceEvent over_link_1 = packet(1, 1, false);
    over_link_1.detail = 5;
    builder.timing.link.links_per_direction = 1;
    builder.core({1, 0}).reader({event(FabricOpen), over_link_1});

    EXPECT_THAT([&] { (void)builder.run(); },
                ::testing::ThrowsMessage<UsageError>(
                    "device 0 core (1,0) sends over link 1 to the west; the machine has 1 in each "
                    "direction (link.links_per_direction)"));
}

TEST(Fabric, ASenderHoldsAsManyPacketsAsItHasSlots) {
    TraceBuilder builder(2);
    builder.timing.link.worker_issue = Cycles{5};
    const TraceEvent plain = packet(1, 1, false);
    builder.core({0, 0}).reader(
        {event(FabricSlot), plain, event(FabricSlot), plain, event(FabricSlot), plain});

    const LaunchTimeline timeline = builder.run();

    // Two packets by 10; the first leaves at 5 + 30, then the third is issued.
    EXPECT_EQ(timeline.makespan, 5 * kCycle + fixed::kDeparted + 5 * kCycle);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitFabric), 25);
}

}  // namespace
}  // namespace tessera::timing
