// SPDX-License-Identifier: Apache-2.0
// What fabric calls leave in the trace of their thread.
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

// Events of the sender's calls, without lines.
Events sender_events(Scenario scenario, std::uint32_t size) {
    FabricRun run({.threads = 1, .trace = TraceMode::On});
    run.size = size;
    run.launch(scenario);
    Events events = run.trace().launches.at(0).cores.at(0).threads.at(0).events;
    std::erase_if(events,
                  [](const TraceEvent& event) { return event.kind == EventKind::Instructions; });
    for (TraceEvent& event : events) {
        event.site = 0;
    }
    return events;
}

TraceEvent packet(std::uint32_t bytes, bool has_add) {
    const FabricArgument argument{
        .device = kTarget, .place = kCore00, .hops = 1, .has_add = has_add};
    return event(EventKind::FabricPacket, kEast0, bytes, argument.pack());
}
TraceEvent word(EventKind kind, std::uint32_t address, std::uint32_t value) {
    return event(kind, kEast0, value, WordArgument{address, kCore00, kTarget}.pack());
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
                          packet(64, true),
                          word(EventKind::FabricAdd, kSemaphore0, 1),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::Fused, 64), expected);
}

TEST(FabricEvents, APayloadAndAnAdditionAreTwoPackets) {
    const Events expected{link(EventKind::FabricOpen),
                          link(EventKind::FabricSlot),
                          packet(64, false),
                          flush(),
                          link(EventKind::FabricSlot),
                          packet(0, true),
                          word(EventKind::FabricAdd, kSemaphore0, 1),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::WriteThenIncrement, 64), expected);
}

TEST(FabricEvents, AnInlineWriteIsAWord) {
    const Events expected{link(EventKind::FabricOpen),
                          link(EventKind::FabricSlot),
                          packet(0, true),
                          word(EventKind::FabricWord, kSemaphore0, 1),
                          flush(),
                          link(EventKind::FabricClose)};

    EXPECT_EQ(sender_events(Scenario::InlineWrite, 64), expected);
}

}  // namespace
}  // namespace tessera
