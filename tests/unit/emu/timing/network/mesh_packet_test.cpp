// SPDX-License-Identifier: Apache-2.0
// Packets between devices, by formula.
#include <gtest/gtest.h>

#include "tests/unit/emu/timing/network/small_machine.hpp"
#include "tests/unit/emu/timing/network/streams.hpp"

namespace tessera::timing {
namespace {

constexpr Millicycles kCycle = kMillicyclesPerCycle;
constexpr Millicycles kToSender = (20 + 10) * kCycle;  // command and the two interfaces

Request packet(std::uint32_t bytes, std::uint8_t hops) {
    return {.kind = RequestKind::Fabric,
            .place = NocPlace::worker({1, 1}),
            .bytes = bytes,
            .far_device = hops,
            .channel = 0,
            .hops = hops};
}

TEST(MeshPacket, OneHopByFormula) {
    // 952 + 48 bytes of header + 50 of one frame at 10 B/cycle.
    const StreamRun run(SmallMachine().machine(), {{.requests = {packet(952, 1)}}});

    const Times t = run.times[0][0];
    const Millicycles in_l1 = (1 + 952) * kCycle / 1;
    const Millicycles inject = (1 * kCycle) + 952 * kCycle / 32;
    EXPECT_LT(inject, in_l1);
    EXPECT_EQ(t.departed, 20 * kCycle + inject);
    EXPECT_EQ(t.slot_freed, kToSender + inject + 105 * kCycle);
    EXPECT_EQ(t.delivered, t.slot_freed + (500 + 60) * kCycle);
}

TEST(MeshPacket, IsStoredAndForwardedAtEachDevice) {
    const StreamRun one(SmallMachine().machine(), {{.requests = {packet(952, 1)}}});
    const StreamRun three(SmallMachine().machine(), {{.requests = {packet(952, 3)}}});

    EXPECT_EQ(three.times[0][0].delivered - one.times[0][0].delivered,
              2 * (105 + 500 + 20) * kCycle);
}

TEST(MeshPacket, SmallPacketsKeepTheRoutersSlot) {
    // 16 + 48 + 50 bytes take 11.4 cycles of the wire and 50 of the sender, 60 of the receiver.
    Stream stream{.requests = std::vector<Request>(100, packet(16, 1))};

    const StreamRun run(SmallMachine().machine(), {stream});

    EXPECT_EQ(run.times[0][99].delivered - run.times[0][98].delivered, 60 * kCycle);
    EXPECT_EQ(run.times[0][99].slot_freed - run.times[0][98].slot_freed, 50 * kCycle);
}

TEST(MeshPacket, LargePacketsReachTheLineRate) {
    // 2952 + 48 bytes are two frames: 3100 bytes on the wire.
    Stream stream{.requests = std::vector<Request>(50, packet(2952, 1))};

    const StreamRun run(SmallMachine().machine(), {stream});

    EXPECT_EQ(run.times[0][49].delivered - run.times[0][48].delivered, 310 * kCycle);
}

TEST(MeshPacket, LinksOfOneDirectionCarryPacketsSideBySide) {
    Request other = packet(2952, 1);
    other.channel = 4;
    other.core = {1, 0};
    Stream first{.requests = std::vector<Request>(50, packet(2952, 1))};
    Stream second{.requests = std::vector<Request>(50, other)};

    const StreamRun both(SmallMachine().machine(), {first, second});

    EXPECT_EQ(both.end(0), StreamRun(SmallMachine().machine(), {first}).end(0));
}

TEST(MeshPacket, RingClosesBehindTheLastDevice) {
    SmallMachine small;
    small.mesh.topology = Topology::Ring;
    Request around = packet(16, 1);
    around.device = 3;
    around.far_device = 0;

    const StreamRun run(small.machine(), {{.requests = {around}}});

    ASSERT_FALSE(run.uses().empty());
    bool is_ejected_at_first = false;
    for (const ResourceUse& use : run.uses()) {
        is_ejected_at_first |= use.kind == ResourceKind::NocEjection && use.device == 0;
    }
    EXPECT_TRUE(is_ejected_at_first);
}

// From device 0 of 2×2 to device 3: south, then east; both links carry it.
TEST(MeshPacket, TurnsAtTheCornerTowardsItsDevice) {
    SmallMachine small;
    small.mesh.shape = {2, 2};
    Request turning = packet(952, 1);
    turning.channel = static_cast<std::uint8_t>(LinkDirection::South);
    turning.far_device = 3;

    const StreamRun run(small.machine(), {{.requests = {turning}}});

    std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
    for (const ResourceUse& use : run.uses()) {
        if (use.kind == ResourceKind::MeshLink) {
            links.emplace_back(use.device, use.direction);
        }
    }
    const auto direction = [](LinkDirection d) { return static_cast<std::uint32_t>(d); };
    EXPECT_EQ(links,
              (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                  {0, direction(LinkDirection::South)}, {2, direction(LinkDirection::East)}}));
}

}  // namespace
}  // namespace tessera::timing
