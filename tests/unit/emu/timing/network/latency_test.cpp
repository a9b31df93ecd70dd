// SPDX-License-Identifier: Apache-2.0
// One transfer on an idle machine, by formula.
#include <gtest/gtest.h>

#include "tests/unit/emu/timing/network/small_machine.hpp"
#include "tests/unit/emu/timing/network/streams.hpp"

namespace tessera::timing {
namespace {

constexpr Millicycles kCycle = kMillicyclesPerCycle;

Times alone(const SmallMachine& small, const Request& request) {
    return StreamRun(small.machine(), {{.requests = {request}}}).times[0][0];
}

TEST(NocLatency, WriteDepartsArrivesAndIsAcknowledgedByFormula) {
    // Logical (0,0) is node (1,0), (2,2) is (4,3): 3 + 3 links forward, 3 + 2 back.
    const Times t = alone({}, write({0, 0}, NocPlace::worker({2, 2}), 320));

    const Millicycles packet = (1 + 320 / 32) * kCycle;
    EXPECT_EQ(t.departed, 20 * kCycle + packet);
    EXPECT_EQ(t.delivered, (20 + 2 * 5 + 6 * 10) * kCycle + packet);
    EXPECT_EQ(t.acknowledged, t.delivered + (7 + 2 * 5 + 5 * 10 + 3) * kCycle);
}

TEST(NocLatency, PostedWriteIsNotAcknowledged) {
    Request posted = write({0, 0}, NocPlace::worker({1, 0}), 32);
    posted.is_posted = true;

    const Times t = alone({}, posted);

    EXPECT_GT(t.delivered, 0);
    EXPECT_EQ(t.acknowledged, -1);
}

TEST(NocLatency, ReadGoesAroundTheTorusOnce) {
    // Request and data together cross all 6 columns and all 5 rows.
    const Times t = alone({}, read({0, 0}, NocPlace::worker({2, 2}), 320));

    EXPECT_EQ(t.delivered, (20 + 2 * 5 + 2 * 5 + 11 * 10 + 30 + 1 + 320 / 16 + 3) * kCycle);
}

TEST(NocLatency, NeighbourOnTheOtherNocIsAWholeRowAway) {
    // (1,0) to (2,0): one link to the right on NoC 0, five to the left on NoC 1.
    const SmallMachine small;

    const Times noc0 = alone(small, write({0, 0}, NocPlace::worker({1, 0}), 32, 0));
    const Times noc1 = alone(small, write({0, 0}, NocPlace::worker({1, 0}), 32, 1));

    EXPECT_EQ(noc0.delivered, (20 + 10 + 1 * 10 + 2) * kCycle);
    EXPECT_EQ(noc1.delivered, (20 + 10 + 5 * 10 + 2) * kCycle);
    EXPECT_EQ(noc0.acknowledged - noc0.delivered - noc1.acknowledged + noc1.delivered,
              (5 - 1) * 10 * kCycle);
}

TEST(NocLatency, LargeWriteGoesPacketByPacketWithoutGaps) {
    const Times t = alone({}, write({0, 0}, NocPlace::worker({1, 0}), 3 * 1024));

    EXPECT_EQ(t.delivered, (20 + 10 + 10 + 3 * (1 + 1024 / 32)) * kCycle);
}

TEST(NocLatency, OwnL1IsReachedWithoutLinks) {
    const Times t = alone({}, read({0, 0}, NocPlace::worker({0, 0}), 320));

    EXPECT_EQ(t.delivered, (20 + 10 + 30 + 10 + 1 + 320 / 16 + 3) * kCycle);
}

TEST(NocLatency, AtomicTakesItsTimeAtTheFarL1) {
    Request atomic = write({0, 0}, NocPlace::worker({1, 0}), 4);
    const Times word = alone({}, atomic);
    atomic.kind = RequestKind::Atomic;

    EXPECT_EQ(alone({}, atomic).delivered, word.delivered + 6 * kCycle);
}

TEST(NocLatency, DramReadWaitsForTheBankAndComesAtItsRate) {
    // Bank 2 at (3,2): 11 links in a round trip. The bank takes 2 + 320/16 cycles. The packet
    // leaves so that its tail, at 32 B/cycle, leaves with the bank's last byte.
    const Times t = alone({}, read({0, 0}, NocPlace::dram(2), 320));

    EXPECT_EQ(t.delivered, (20 + 10 + 10 + 11 * 10 + 100 + (2 + 320 / 16) + 3) * kCycle);
}

TEST(NocLatency, DramWriteIsAcknowledgedByTheController) {
    // Node (1,0) to (3,2): 2 + 2 links forward, 4 + 3 back; the bank takes 2 + 320/8 cycles.
    const Times t = alone({}, write({0, 0}, NocPlace::dram(2), 320));

    EXPECT_EQ(t.delivered, (20 + 10 + 40 + 2 + 320 / 8) * kCycle);
    EXPECT_EQ(t.acknowledged, t.delivered + (40 + 10 + 70 + 3) * kCycle);
}

TEST(NocLatency, MulticastReservesItsTreeFirst) {
    // From (1,0) to columns 1, 2 and rows 0, 1: the farthest leaf is 1 + 1 links away. Each hop
    // costs 22 cycles before data leaves, the path from the NIU to its router 5. Acknowledgements
    // have crossed both axes: 11 links.
    Request request = multicast({0, 0}, {0, 0}, {1, 1}, 320);
    request.includes_sender = true;

    const Times t = alone({}, request);

    EXPECT_EQ(t.delivered, (20 + 5 + 2 * 22 + 10 + 20 + 1 + 320 / 16) * kCycle);
    EXPECT_EQ(t.acknowledged, t.delivered + (7 + (11 - 2) * 10 + 10 + 3) * kCycle);
}

TEST(NocLatency, MulticastThatLeavesOutItsSenderReservesTheSameTree) {
    Request request = multicast({0, 0}, {0, 0}, {1, 1}, 320);
    const Times without = alone({}, request);
    request.includes_sender = true;

    EXPECT_EQ(without.delivered, alone({}, request).delivered);
}

TEST(NocLatency, LinkedMulticastKeepsThePathForTheNext) {
    Request linked = multicast({0, 0}, {1, 0}, {1, 1}, 320);
    linked.is_linked = true;
    Request last = linked;
    last.is_linked = false;

    const auto times = StreamRun(SmallMachine().machine(), {{.requests = {linked, last, last}}});

    const auto& t = times.times[0];
    const Millicycles packet = (1 + 320 / 16) * kCycle;
    EXPECT_EQ(t[1].delivered - t[0].delivered, packet);
    EXPECT_EQ(t[2].delivered - t[1].delivered, packet + (5 + 2 * 22) * kCycle);
}

TEST(NocLatency, PacketsOfALinkedMulticastReserveTheirPathOnce) {
    // Three packets of 1024 B; unlinked, each of them pays for the interface and 2 hops of 22
    // cycles.
    Request request = multicast({0, 0}, {1, 0}, {1, 1}, 3 * 1024);
    const Times unlinked = alone({}, request);
    request.is_linked = true;

    const Times linked = alone({}, request);

    EXPECT_EQ(unlinked.delivered - linked.delivered, 2 * (5 + 2 * 22) * kCycle);
}

}  // namespace
}  // namespace tessera::timing
