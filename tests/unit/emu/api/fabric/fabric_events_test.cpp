// SPDX-License-Identifier: Apache-2.0
// Trace events of fabric calls in their thread.
#include <gtest/gtest.h>

#include "tests/trace_events.hpp"
#include "tests/unit/emu/api/fabric/fabric_run.hpp"

namespace tessera {
namespace {

using testing::event;
using testing::FabricRun;
using testing::Scenario;
using Events = std::vector<TraceEvent>;

constexpr std::uint32_t kEast0 = 0;  // channel of link 0 to the east
constexpr std::uint32_t kTarget = FabricRun::kSender + 1;
constexpr NocPlace kCore00 = NocPlace::worker({0, 0});

// Returns the events of the sender's calls, without lines.
Events sender_events(Scenario scenario, std::uint32_t size, std::uint32_t range = 1) {
    FabricRun run({.threads = 1, .trace = TraceMode::On});
    run.size = size;
    run.range = range;
    run.launch(scenario);
    Events events = run.trace().launches.at(0).cores.at(0).threads.at(0).events;
    std::erase_if(events,
                  [](const TraceEvent& event) { return event.kind == EventKind::Instructions; });
    for (TraceEvent& event : events) {
        event.site = 0;
    }
    return events;
}

TraceEvent packet(std::uint32_t bytes, const FabricArgument& argument) {
    return event(EventKind::FabricPacket, kEast0, bytes, argument.pack());
}
constexpr FabricArgument kPlain{.device = kTarget, .place = kCore00, .hops = 1};
constexpr FabricArgument kInline{.device = kTarget, .place = kCore00, .hops = 1, .has_add = true};
constexpr FabricArgument kCounts{
    .device = kTarget, .place = kCore00, .hops = 1, .has_add = true, .flushes = true};
constexpr FabricArgument kFused{.device = kTarget,
                                .place = kCore00,
                                .hops = 1,
                                .has_add = true,
                                .is_fused = true,
                                .flushes = true};
constexpr FabricArgument kTwoParts{.device = kTarget, .place = kCore00, .hops = 1, .more_parts = 1};
TraceEvent word(EventKind kind, std::uint32_t address, std::uint32_t value,
                std::uint16_t device = kTarget) {
    return event(kind, kEast0, value, WordArgument{address, kCore00, device}.pack());
}
TraceEvent link(EventKind kind) {
    return event(kind, kEast0, 1, 0);
}
// The sender's kernel runs on NoC 1.
TraceEvent flush() {
    return event(EventKind::WriteFlush, 1, 1, 0);
}

constexpr std::uint32_t kSemaphore0 = 40960;

TEST(FabricEvents, AFusedPacketIsFollowedByItsAddition) {
    const Events expected{link(EventKind::FabricOpen),
                          link(EventKind::FabricSlot),
                          packet(64, kFused),
                          word(EventKind::FabricAdd, kSemaphore0, 1),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::Fused, 64), expected);
}

TEST(FabricEvents, APayloadAndAnAdditionAreTwoPackets) {
    const Events expected{link(EventKind::FabricOpen),
                          link(EventKind::FabricSlot),
                          packet(64, kPlain),
                          flush(),
                          link(EventKind::FabricSlot),
                          packet(0, kCounts),
                          word(EventKind::FabricAdd, kSemaphore0, 1),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::WriteThenIncrement, 64), expected);
}

TEST(FabricEvents, AnInlineWriteIsAWord) {
    const Events expected{link(EventKind::FabricOpen),
                          link(EventKind::FabricSlot),
                          packet(0, kInline),
                          word(EventKind::FabricWord, kSemaphore0, 1),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::InlineWrite, 64), expected);
}

TEST(FabricEvents, ChunksOfAPayloadAreOnePacket) {
    const Events expected{link(EventKind::FabricOpen),
                          link(EventKind::FabricSlot),
                          packet(64, kTwoParts),
                          flush(),
                          link(EventKind::FabricSlot),
                          packet(0, kCounts),
                          word(EventKind::FabricAdd, kSemaphore0, 1),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::Scatter, 64), expected);
}

TEST(FabricEvents, AMulticastIsOnePacketToItsLastDevice) {
    constexpr std::uint16_t kLast = kTarget + 1;
    const FabricArgument argument{.device = kLast,
                                  .place = kCore00,
                                  .hops = 2,
                                  .is_multicast = true,
                                  .has_add = true,
                                  .is_fused = true,
                                  .flushes = true,
                                  .multicast_from = 1};
    const Events expected{link(EventKind::FabricOpen),
                          link(EventKind::FabricSlot),
                          packet(64, argument),
                          word(EventKind::FabricAdd, kSemaphore0, 1, kLast),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::MulticastFused, 64, 2), expected);
}

TEST(FabricEvents, AHandshakeInHalvesIsThatOfOpen) {
    EXPECT_EQ(sender_events(Scenario::HandshakesInHalves, 64), sender_events(Scenario::Fused, 64));
}

// Returns the kinds of events of a kernel that opens and closes link 0 to the east and to the west.
std::vector<EventKind> two_links(bool at_once) {
    Program program = CreateProgram();
    const KernelHandle kernel =
        CreateKernel(program, TESSERA_SOURCE_DIR "/tests/unit/emu/api/fabric/kernels/two_links.cpp",
                     CoreCoord{0, 0}, WriterDataMovementConfig());
    std::vector<std::uint32_t> args{at_once ? 1U : 0U};
    for (const LinkDirection direction : {LinkDirection::East, LinkDirection::West}) {
        append_fabric_connection_rt_args(direction, 0, program, {0, 0}, args);
    }
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, args);
    EmulatedSession session({.shape = {1, 3}, .topology = Topology::Line, .device = "test_arch"},
                            testing::small_arch(), {.threads = 1, .trace = TraceMode::On});
    session.launch("two links", std::vector<DeviceProgram>{{1, program}});
    std::vector<EventKind> kinds;
    for (const TraceEvent& event :
         session.trace().launches.at(0).cores.at(0).threads.at(0).events) {
        if (event.kind != EventKind::Instructions) {
            kinds.push_back(event.kind);
        }
    }
    return kinds;
}

TEST(FabricEvents, HandshakesAtOnceTakeTheTimeOfOne) {
    EXPECT_EQ(two_links(true),
              (std::vector<EventKind>{EventKind::FabricOpen, EventKind::FabricClose}));
}

TEST(FabricEvents, HandshakesInTurnTakeTheirTimeEach) {
    EXPECT_EQ(two_links(false),
              (std::vector<EventKind>{EventKind::FabricOpen, EventKind::FabricOpen,
                                      EventKind::FabricClose, EventKind::FabricClose}));
}

}  // namespace
}  // namespace tessera
