// SPDX-License-Identifier: Apache-2.0
// Packets between devices, by formula.
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/network/small_machine.hpp"
#include "tests/unit/emu/timing/network/streams.hpp"

namespace tessera::timing {
namespace {

constexpr Millicycles kCycle = kMillicyclesPerCycle;
constexpr Millicycles kToSender = (20 + 10) * kCycle;  // command and the two interfaces
// A router stores a packet of 952 bytes and writes it over its NoC: overhead, then 32 B/cycle.
constexpr Millicycles kTransit = 1 * kCycle + 952 * kCycle / 32;

Request packet(std::uint32_t bytes, std::uint8_t hops) {
    return {.kind = RequestKind::Fabric,
            .place = NocPlace::worker({1, 1}),
            .bytes = bytes,
            .far_device = hops,
            .channel = 0,
            .hops = hops};
}

TEST(MeshPacket, OneHopByFormula) {
    // 50 of the router, then 952 + 48 bytes of header + 50 of one frame at 10 B/cycle.
    const StreamRun run(SmallMachine().machine(), {{.requests = {packet(952, 1)}}});

    const Times t = run.times[0][0];
    const Millicycles in_l1 = (1 + 952) * kCycle / 1;
    const Millicycles inject = (1 * kCycle) + 952 * kCycle / 32;
    EXPECT_LT(inject, in_l1);
    EXPECT_EQ(t.departed, 20 * kCycle + inject);
    EXPECT_EQ(t.slot_freed, kToSender + inject + (50 + 105) * kCycle);
    EXPECT_EQ(t.delivered, t.slot_freed + (500 + 60) * kCycle + kTransit);
}

TEST(MeshPacket, IsStoredAndForwardedAtEachDevice) {
    const StreamRun one(SmallMachine().machine(), {{.requests = {packet(952, 1)}}});
    const StreamRun three(SmallMachine().machine(), {{.requests = {packet(952, 3)}}});

    EXPECT_EQ(three.times[0][0].delivered - one.times[0][0].delivered,
              2 * ((50 + 105 + 500 + 20) * kCycle + kTransit));
}

// 16 + 48 + 50 bytes take 11.4 cycles of the wire, 50 of the sender and 60 of the receiver.
Stream of_small_packets(std::uint32_t count, std::uint16_t from = 0, std::uint8_t hops = 1) {
    Request small = packet(16, hops);
    small.device = from;
    small.far_device = static_cast<std::uint16_t>(from + hops);
    return {.requests = std::vector<Request>(count, small)};
}
Stream backwards(Stream stream) {
    for (Request& request : stream.requests) {
        std::swap(request.device, request.far_device);
        request.channel = static_cast<std::uint8_t>(LinkDirection::West);
    }
    return stream;
}
Millicycles between(const StreamRun& run, std::size_t stream, std::size_t first, std::size_t last) {
    return run.times[stream][last].delivered - run.times[stream][first].delivered;
}

TEST(MeshPacket, SmallPacketsKeepTheRoutersSlot) {
    const StreamRun run(SmallMachine().machine(), {of_small_packets(100)});

    EXPECT_EQ(between(run, 0, 98, 99), 60 * kCycle);
}

// 200 packets in each direction take 200 · (50 + 60) cycles of each router's only processor.
TEST(MeshPacket, OneProcessorSendsAndReceivesInTurn) {
    const StreamRun run(SmallMachine().machine(),
                        {of_small_packets(200), backwards(of_small_packets(200))});

    EXPECT_NEAR(static_cast<double>(run.end()), 200.0 * 110 * kCycle, 800.0 * kCycle);
}

TEST(MeshPacket, TwoProcessorsSendAndReceiveSideBySide) {
    SmallMachine small;
    small.timing.link.router_processors = 2;

    const StreamRun run(small.machine(), {of_small_packets(200), backwards(of_small_packets(200))});

    EXPECT_NEAR(static_cast<double>(run.end()), 200.0 * 60 * kCycle, 800.0 * kCycle);
}

Millicycles period_of(Request request) {
    const StreamRun run(SmallMachine().machine(),
                        {{.requests = std::vector<Request>(100, request)}});
    return between(run, 0, 98, 99);
}

TEST(MeshPacket, EachFurtherPartOfAPayloadTakesTheReceiverLonger) {
    Request scattered = packet(16, 1);
    scattered.more_parts = 3;

    EXPECT_EQ(period_of(scattered), (60 + 3 * 9) * kCycle);
}

TEST(MeshPacket, AcknowledgementsTakeTheWireTheOtherWay) {
    // Packets of 4000 bytes and headers take 418 cycles of the wire, more than of the routers.
    SmallMachine small;
    small.timing.link.acknowledgement = Seconds{100e-9};
    Request large = packet(4000, 1);
    const Stream there{.requests = std::vector<Request>(100, large)};
    std::swap(large.device, large.far_device);
    large.channel = static_cast<std::uint8_t>(LinkDirection::West);
    const Stream back{.requests = std::vector<Request>(100, large)};
    const double wire = 4048 / 10.0 + 3 * 50 / 10.0;

    const StreamRun one_way(small.machine(), {there});
    const StreamRun both_ways(small.machine(), {there, back});

    EXPECT_NEAR(static_cast<double>(between(one_way, 0, 50, 90)) / 40, wire * kCycle, kCycle);
    EXPECT_NEAR(static_cast<double>(between(both_ways, 0, 50, 90)) / 40, (wire + 100) * kCycle,
                3.0 * kCycle);
}

TEST(MeshPacket, RoutesOfAMeshTakeTheRouterLonger) {
    SmallMachine small;
    small.mesh.shape = {2, 4};
    Request routed = packet(16, 1);
    routed.is_mesh_route = true;

    const StreamRun run(small.machine(), {{.requests = std::vector<Request>(100, routed)}});

    EXPECT_EQ(between(run, 0, 98, 99), (60 + 31) * kCycle);
    EXPECT_EQ(period_of(routed), 60 * kCycle);  // on a single row
}

TEST(MeshPacket, RoutesOfAMeshMakeAPacketLaterAndNotTheNextOne) {
    SmallMachine small;
    small.mesh.shape = {2, 4};
    Request routed = packet(16, 3);
    routed.is_mesh_route = true;
    const Stream stream{.requests = std::vector<Request>(100, routed)};
    const StreamRun before(small.machine(), {stream});
    small.timing.link.mesh_latency = Seconds{104e-9};

    const StreamRun run(small.machine(), {stream});

    EXPECT_EQ(run.times[0][0].delivered - before.times[0][0].delivered, 3 * 104 * kCycle);
    EXPECT_EQ(between(run, 0, 98, 99), between(before, 0, 98, 99));
}

TEST(MeshPacket, AnAdditionBehindAPayloadIsACommand) {
    Request fused = packet(16, 1);
    fused.is_fused = true;

    EXPECT_EQ(period_of(fused), (60 + 7) * kCycle);
}

TEST(MeshPacket, AFlushWaitsForThePayloadToArrive) {
    Request fused = packet(16, 1);
    fused.is_fused = true;
    fused.flushes = true;

    EXPECT_EQ(period_of(fused), (60 + 7 + 200 + 1) * kCycle + kCycle / 2);
}

TEST(MeshPacket, AFlushInAPacketOfItsOwnFindsThePayloadUnderWay) {
    Request addition = packet(0, 1);
    addition.flushes = true;

    EXPECT_EQ(period_of(addition), 200 * kCycle);
}

Request multicast_packet(std::uint32_t bytes, std::uint8_t from, std::uint8_t hops) {
    Request request = packet(bytes, hops);
    request.is_multicast = true;
    request.multicast_from = from;
    return request;
}

TEST(MeshPacket, AMulticastIsInPlaceAtOneDeviceAfterTheOther) {
    const StreamRun run(SmallMachine().machine(), {{.requests = {multicast_packet(952, 1, 3)}}});

    const Times& t = run.times[0][0];
    const Millicycles at_first = t.slot_freed + (500 + 60 + 11) * kCycle + kTransit;
    const Millicycles hop = (50 + 105 + 500 + 60) * kCycle + kTransit;
    EXPECT_EQ(t.passed, (std::vector<Millicycles>{at_first, at_first + hop + 11 * kCycle}));
    EXPECT_EQ(t.delivered, t.passed.back() + hop);
}

TEST(MeshPacket, AMulticastPassesDevicesBeforeItsFirstAsAUnicastDoes) {
    const StreamRun run(SmallMachine().machine(), {{.requests = {multicast_packet(952, 2, 3)}}});

    const Times& t = run.times[0][0];
    const Millicycles first_hop = t.slot_freed + (500 + 20) * kCycle + kTransit;
    EXPECT_EQ(t.passed, (std::vector<Millicycles>{first_hop + (50 + 105 + 500 + 60 + 11) * kCycle +
                                                  kTransit}));
}

// The middle of the second row of 3×3: devices 0, 1, 2 are north of it.
TEST(MeshPacket, ABoxBranchesAlongTheRowOfEachDeviceOfItsColumn) {
    SmallMachine small;
    small.mesh.shape = {3, 3};
    Request box = packet(952, 1);
    box.device = 4;
    box.far_device = 1;
    box.channel = static_cast<std::uint8_t>(LinkDirection::North);
    box.east = 1;
    box.west = 1;

    const StreamRun run(small.machine(), {{.requests = {box}}});

    // Two copies at the corner, then one hop in both directions at the same time.
    const Times& t = run.times[0][0];
    EXPECT_EQ(t.delivered, t.slot_freed + (500 + 60 + 2 * 11) * kCycle + kTransit);
    EXPECT_EQ(t.passed,
              std::vector<Millicycles>(2, t.delivered + (50 + 105 + 500 + 60) * kCycle + kTransit));
}

TEST(MeshPacket, ABoxIsInPlaceOnEachOfItsDevices) {
    SmallMachine small;
    small.mesh.shape = {3, 3};
    Request box = packet(952, 2);
    box.device = 6;
    box.far_device = 0;
    box.channel = static_cast<std::uint8_t>(LinkDirection::North);
    box.is_multicast = true;
    box.multicast_from = 1;
    box.east = 2;

    const StreamRun run(small.machine(), {{.requests = std::vector<Request>(40, box)}});

    for (const Times& t : run.times[0]) {
        ASSERT_GE(t.delivered, 0);
        ASSERT_EQ(t.passed.size(), 5U);  // device 3, and two devices east of it and of device 0
    }
}

// A router with space for two packets receives two per round trip: 50 of the previous router, 11.4
// on the wire, 500 in flight, 60 of its own, 1.5 to the core.
TEST(MeshPacket, ASenderWaitsForASlotOfTheNextRouter) {
    SmallMachine small;
    small.timing.link.receiver_slots = 2;

    const StreamRun run(small.machine(), {of_small_packets(100)});

    const Millicycles round = kCycle * (500 + 114 + 5000 + 600 + 15) / 10;
    EXPECT_EQ(between(run, 0, 48, 98), 25 * round);
    EXPECT_EQ(run.times[0][98].slot_freed - run.times[0][48].slot_freed, 25 * round);
}

// Two streams to the last device: packets of the nearer stream fill its router, those of the other
// wait two links earlier.
TEST(MeshPacket, AFullRouterStallsThoseBeforeIt) {
    SmallMachine small;
    small.timing.link.receiver_slots = 2;
    small.timing.link.deliver_slot = Seconds{5000e-9};

    const StreamRun run(small.machine(), {of_small_packets(20, 0, 3)});

    // Six slots on the path; the eighth packet leaves its sender when the first two are delivered.
    EXPECT_LT(run.times[0][5].slot_freed, run.times[0][0].delivered);
    EXPECT_GT(run.times[0][7].slot_freed, run.times[0][1].delivered);
}

TEST(MeshPacket, RoutersOfARingTakeLonger) {
    SmallMachine small;
    small.mesh.topology = Topology::Ring;
    small.timing.link.ring_slot = Seconds{13e-9};

    const StreamRun run(small.machine(), {of_small_packets(100)});

    EXPECT_EQ(between(run, 0, 98, 99), (60 + 13) * kCycle);
}

class RingOfFullRouters : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RingOfFullRouters, DeliversAllThatGoesAround) {
    SmallMachine small;
    small.mesh.topology = Topology::Ring;
    small.timing.link.receiver_slots = GetParam();
    std::vector<Stream> streams;
    for (std::uint16_t device = 0; device < 4; ++device) {
        Request around = packet(952, 3);
        around.device = device;
        around.far_device = static_cast<std::uint16_t>((device + 3) % 4);
        streams.push_back({.requests = std::vector<Request>(60, around)});
    }

    const StreamRun run(small.machine(), streams);

    for (const std::vector<Times>& stream : run.times) {
        for (const Times& packet : stream) {
            ASSERT_GE(packet.delivered, 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Slots, RingOfFullRouters, ::testing::Values(2, 3, 16));

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
