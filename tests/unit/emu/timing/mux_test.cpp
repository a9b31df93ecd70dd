// SPDX-License-Identifier: Apache-2.0
// Muxes with the fixed transport: a write arrives after 100 cycles; a packet has left after 30 and
// arrives after 100. A mux takes 200 cycles to send a packet, open 70, a packet 80.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;
constexpr CoreCoord kMux{1, 0};

TraceEvent open(std::uint8_t channel, std::uint8_t buffers, CoreCoord mux = kMux,
                std::uint8_t channels = 2) {
    const MuxArgument argument{.place = NocPlace::worker(mux),
                               .channel = channel,
                               .num_channels = channels,
                               .num_buffers = buffers};
    return event(FabricOpen, 0, 1, argument.pack());
}
TraceEvent packet() {
    const FabricArgument argument{
        .device = 1, .place = NocPlace::worker({0, 0}), .hops = 1, .has_add = true};
    return event(FabricPacket, 0, 4096, argument.pack());
}
TraceEvent word(std::uint32_t address) {
    return event(FabricAdd, 0, 1, WordArgument{address, NocPlace::worker({0, 0}), 1}.pack());
}
TraceEvent wait_for(std::uint32_t address, std::uint32_t value) {
    return event(SemaphoreWait, 0, value, address);
}

TEST(Mux, APacketGoesToItsCoreFirst) {
    TraceBuilder builder(2);
    builder.core({0, 0}).reader({open(0, 2), event(FabricSlot), packet(), word(64)});
    builder.core(kMux).reader({event(FabricOpen)});
    builder.core({0, 0}, {}, 1).reader({wait_for(64, 1)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(timeline.device_end.at(1), (70 + 80 + 100 + 200 + 100 + 8) * kCycle);
}

TEST(Mux, AWorkerWaitsForASlotOfItsChannel) {
    TraceBuilder builder(2);
    builder.core({0, 0}).reader(
        {open(0, 1), event(FabricSlot), packet(), word(64), event(FabricSlot), packet(), word(64)});
    builder.core(kMux).reader({event(FabricOpen)});
    builder.core({0, 0}, {}, 1).reader({wait_for(64, 2)});

    const LaunchTimeline timeline = builder.run();

    // The mux frees the slot once the packet has left its L1, which takes longer than the credits.
    constexpr std::int64_t kFreed = 70 + 80 + 100 + 200 + 30;
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitFabric), kFreed - 150);
    EXPECT_EQ(timeline.device_end.at(1), (kFreed + 80 + 100 + 200 + 100 + 8) * kCycle);
}

// The other channel's packet arrives long after the first channel's two packets.
TEST(Mux, TakesAPacketOfEachChannelInTurn) {
    TraceBuilder builder(2);
    builder.core({0, 0}).reader(
        {open(0, 3), packet(), word(64), packet(), word(64), packet(), word(64)});
    builder.core({0, 1}).reader({open(1, 3), event(NocSetState, 0, 10), packet(), word(128)});
    builder.core(kMux).reader({event(FabricOpen)});
    builder.core({0, 0}, {}, 1).reader({wait_for(128, 1)});

    const LaunchTimeline timeline = builder.run();

    constexpr std::int64_t kFirstIsOut = 70 + 80 + 100 + 200 + 30;
    EXPECT_EQ(timeline.device_end.at(1), (kFirstIsOut + 200 + 100 + 8) * kCycle);
}

TEST(Mux, RefusesAConnectionToACoreWithoutAKernel) {
    TraceBuilder builder(2);
    builder.core({0, 0}).reader({open(0, 1, {1, 1})});

    EXPECT_THAT([&] { (void)builder.run(); },
                ::testing::ThrowsMessage<UsageError>(
                    "trace: event 0: a connection to channel 0 of 2 of a mux on core (1,1), with 1 "
                    "buffers; a kernel runs there, and a channel has buffers"));
}

TEST(Mux, RefusesAChannelThatItsFirstConnectionDidNotName) {
    TraceBuilder builder(2);
    builder.core({0, 0}).reader({open(0, 1)});
    builder.core({0, 1}).reader({event(NocSetState, 0, 10), open(2, 1, kMux, 4)});
    builder.core(kMux).reader({event(FabricOpen)});

    EXPECT_THAT([&] { (void)builder.run(); },
                ::testing::ThrowsMessage<UsageError>(
                    "trace: event 1: reader on core (0,1) connects to channel 2 of the mux on core "
                    "(1,0); its first connection gave it 2 channels, and numbers below that are "
                    "allowed"));
}

}  // namespace
}  // namespace tessera::timing
