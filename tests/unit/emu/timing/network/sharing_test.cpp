// SPDX-License-Identifier: Apache-2.0
// Parallel streams on the NoC: which share resources, and which do not affect each other.
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/network/even_streams.hpp"

namespace tessera::timing {
namespace {

TEST(NocSharing, OneWriterReachesTheRateOfItsInterface) {
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(write({0, 0}, NocPlace::worker({2, 0}), kBytes))});

    EXPECT_NEAR(rate(run, 0), 1024.0 / (1 + 32), 0.7);
}

TEST(NocSharing, IssueBoundsSmallTransfers) {
    Stream slow = stream(write({0, 0}, NocPlace::worker({2, 0}), 64));
    slow.interval = 40'000;

    const StreamRun run(SmallMachine().machine(), {slow});

    EXPECT_EQ(run.times[0][kTransfers - 1].start, 40'000 * (kTransfers - 1));
}

TEST(NocSharing, TwoFlowsOverOneLinkGetHalfEach) {
    // Nodes (1,0) → (4,0) and (2,0) → (5,0) share the links that leave x = 2 and x = 3.
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(write({0, 0}, NocPlace::worker({2, 0}), kBytes)),
                                          stream(write({1, 0}, NocPlace::worker({3, 0}), kBytes))});

    EXPECT_NEAR(rate(run, 0), 1024.0 / (2 * 33), 0.5);
    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * 33), 0.5);
}

TEST(NocSharing, TwoReadersOverOneLinkGetHalfEach) {
    // Read data uses the links of the flows above; the first request must cross them first, too.
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(read({2, 0}, NocPlace::worker({0, 0}), kBytes)),
                                          stream(read({3, 0}, NocPlace::worker({1, 0}), kBytes))});

    EXPECT_NEAR(rate(run, 0), 1024.0 / (2 * 33), 0.8);
    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * 33), 0.8);
}

TEST(NocSharing, RoutersLetTheirInputsTakeTurns) {
    // Into node (5,4): two flows along column 5, one along row 4. The row has half of the port
    // until it is done. Each of the column's flows has a quarter, then half.
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(write({0, 1}, NocPlace::worker({3, 3}), kBytes)),
                                          stream(write({3, 0}, NocPlace::worker({3, 3}), kBytes)),
                                          stream(write({0, 3}, NocPlace::worker({3, 3}), kBytes))});

    EXPECT_NEAR(rate(run, 2), 1024.0 / (2 * 33), 0.5);
    EXPECT_NEAR(rate(run, 0), 1024.0 / (3 * 33), 0.5);
    EXPECT_NEAR(rate(run, 1), 1024.0 / (3 * 33), 0.5);
}

TEST(NocSharing, WritesToFarAndNearFollowEachOtherWithoutAGap) {
    SmallMachine small;
    small.timing.noc.hop = Cycles{20};
    Stream mixed = stream(write({0, 0}, NocPlace::worker({3, 0}), kBytes));
    for (std::size_t i = 1; i < mixed.requests.size(); i += 2) {
        mixed.requests[i] = write({0, 0}, NocPlace::worker({1, 0}), kBytes);
    }

    const StreamRun run(small.machine(), {mixed});

    EXPECT_EQ(run.times[0].back().departed - run.times[0].front().departed,
              (kTransfers - 1) * 33'000);
}

TEST(NocSharing, DisjointFlowsDoNotDisturbEachOther) {
    const SmallMachine small;
    const Stream above = stream(write({0, 0}, NocPlace::worker({2, 0}), kBytes));
    const Stream below = stream(write({0, 1}, NocPlace::worker({2, 1}), kBytes));

    const StreamRun both(small.machine(), {above, below});

    EXPECT_EQ(both.end(0), StreamRun(small.machine(), {above}).end(0));
    EXPECT_EQ(both.end(1), StreamRun(small.machine(), {below}).end(0));
}

TEST(NocSharing, OppositeNocsDoNotDisturbEachOther) {
    const SmallMachine small;
    const Stream noc0 = stream(write({0, 0}, NocPlace::worker({2, 0}), kBytes, 0));
    const Stream noc1 = stream(write({1, 0}, NocPlace::worker({2, 0}), kBytes, 1));

    const StreamRun both(small.machine(), {noc0, noc1});

    EXPECT_EQ(both.end(0), StreamRun(small.machine(), {noc0}).end(0));
    EXPECT_EQ(both.end(1), StreamRun(small.machine(), {noc1}).end(0));
}

TEST(NocSharing, AReadGoesOutBehindWhatItsInterfaceSends) {
    // Eight packets of 33 cycles each; the bank's answer uses links that the write does not cross.
    const SmallMachine small;
    const Request block = write({0, 0}, NocPlace::worker({2, 0}), 8 * kBytes);
    const Stream reading{.requests = {read({0, 0}, NocPlace::dram(0), kBytes)}, .begin = 10'000};
    const StreamRun alone(small.machine(), {reading});

    const StreamRun run(small.machine(), {Stream{.requests = {block}}, reading});

    const Times& late = run.times[1][0];
    const Millicycles wait = run.times[0][0].departed - reading.begin;
    constexpr auto kInjection = static_cast<std::size_t>(ResourceKind::NocInjection);
    EXPECT_EQ(run.times[0][0].departed, 20'000 + 8 * 33'000);
    EXPECT_EQ(late.delivered, alone.times[0][0].delivered + wait);
    EXPECT_EQ(late.transit[kInjection], alone.times[0][0].transit[kInjection] + wait);
}

TEST(NocSharing, AReadOnTheOtherNocDoesNotWaitForWhatIsSent) {
    const SmallMachine small;
    const Request block = write({0, 0}, NocPlace::worker({2, 0}), 8 * kBytes, 0);
    const Stream other{.requests = {read({0, 0}, NocPlace::dram(0), kBytes, 1)}, .begin = 10'000};

    const StreamRun run(small.machine(), {Stream{.requests = {block}}, other});

    EXPECT_EQ(run.times[1][0].delivered, StreamRun(small.machine(), {other}).end(0));
}

TEST(NocSharing, AnInterfaceKeepsOneCommandToReadWhileItSends) {
    const SmallMachine small;
    EventQueue queue;
    Transport transport(small.machine(), {0, 1});

    EXPECT_TRUE(transport.takes_read({0, {0, 0}, 0}, 1));
    (void)transport.start(write({0, 0}, NocPlace::worker({2, 0}), kBytes), 0, queue);
    EXPECT_TRUE(transport.takes_read({0, {0, 0}, 0}, 1));
    (void)transport.start(read({0, 0}, NocPlace::dram(0), kBytes), 0, queue);
    EXPECT_FALSE(transport.takes_read({0, {0, 0}, 0}, 1));
    EXPECT_TRUE(transport.takes_read({0, {0, 0}, 1}, 1));
    EXPECT_TRUE(transport.takes_read({0, {1, 0}, 0}, 1));
}

TEST(NocSharing, EachPacketOfAWriteSaysWhenItHasLeft) {
    const SmallMachine small;

    const StreamRun run(
        small.machine(),
        {Stream{.requests = {write({0, 0}, NocPlace::worker({2, 0}), 3 * kBytes)}}});

    EXPECT_EQ(run.times[0][0].sent, (std::vector<Millicycles>{53'000, 86'000}));
    EXPECT_EQ(run.times[0][0].departed, 119'000);
}

TEST(NocSharing, APacketsTimeIsAccountedForWhereTheNextHasToWait) {
    // Blocks of four packets to one row from two senders. Their trees share links, so each waits
    // for the other between its packets. A StreamRun adds up accounts at each milestone.
    const SmallMachine small;
    Request first = multicast({0, 0}, {0, 1}, {3, 1}, 4 * kBytes);
    Request second = multicast({1, 0}, {0, 1}, {3, 1}, 4 * kBytes);
    first.is_linked = true;
    second.is_linked = true;

    const StreamRun run(small.machine(),
                        {Stream{.requests = {first}}, Stream{.requests = {second}}});

    const Millicycles alone =
        StreamRun(small.machine(), {Stream{.requests = {first}}}).times[0][0].departed;
    EXPECT_EQ(run.times[0][0].sent.size(), 3U);
    EXPECT_EQ(run.times[1][0].sent.size(), 3U);
    EXPECT_GT(run.times[0][0].departed, alone);
}

TEST(NocSharing, WritesBeyondTheLimitWaitForAcknowledgements) {
    SmallMachine small;
    small.timing.noc.outstanding_writes = 1;
    Stream writes = stream(write({0, 0}, NocPlace::worker({1, 0}), 64));
    writes.requests.resize(2);

    const StreamRun run(small.machine(), {writes});

    EXPECT_EQ(run.times[0][1].acknowledged, 2 * run.times[0][0].acknowledged);
}

TEST(NocSharing, SmallPacketsFromNearFindRoomBeforeThoseFromFar) {
    // One-word flows into one port, each far below its rate, do not affect each other.
    const SmallMachine small;
    Stream near = stream(write({3, 2}, NocPlace::worker({3, 3}), 32));
    near.interval = 30'000;
    Stream far = stream(write({3, 3}, NocPlace::worker({3, 3}), 32));
    far.requests.assign(kTransfers, write({2, 3}, NocPlace::worker({3, 3}), 32));
    far.interval = 30'000;

    const StreamRun run(small.machine(), {near, far});

    EXPECT_LE(run.end(0), StreamRun(small.machine(), {near}).end(0) + 4'000);
    EXPECT_LE(run.end(1), StreamRun(small.machine(), {far}).end(0) + 4'000);
}

TEST(NocSharing, ReceiversOfAMulticastAnswerOneAfterTheOther) {
    // 3 × 3 receivers, each with one flit of 32 B at 32 B/cycle; the packet itself takes 3 cycles.
    Request request = multicast({0, 0}, {1, 1}, {3, 3}, 32);
    request.is_linked = true;

    Stream many = stream(request);
    many.most_queued = kTransfers;

    const StreamRun run(SmallMachine().machine(), {many});

    const std::vector<Times>& times = run.times[0];
    EXPECT_EQ(times.back().acknowledged - times[1].acknowledged, (kTransfers - 2) * 9 * 1000);
}

TEST(NocSharing, AnswersTakeThePortThroughWhichASenderReceivesItsOwnData) {
    // 2 × 2 receivers including the sender: 1 + 320 / 16 cycles of data, and 4 of answers.
    Request request = multicast({0, 0}, {0, 0}, {1, 1}, 320);
    request.is_linked = true;
    request.includes_sender = true;

    const StreamRun run(SmallMachine().machine(), {stream(request)});

    const std::vector<Times>& times = run.times[0];
    EXPECT_EQ(times.back().departed - times[1].departed, (kTransfers - 2) * (21 + 4) * 1000);
}

TEST(NocSharing, SmallPacketsWaitInOneBufferAndLeaveTheLinkToOthers) {
    // Core (0,0) writes 32 B to a worker at the end of column 5, whose port is busy with another
    // core's packets of 1 KiB. 16 of the small packets fit in a router's buffer, so they do not
    // hold the links of row 0, over which (1,0) writes to (4,0) at its full rate.
    const SmallMachine small;
    Stream flood = stream(write({3, 2}, NocPlace::worker({3, 3}), kBytes));
    flood.requests.resize(4 * kTransfers, flood.requests.front());
    Stream few = stream(write({0, 0}, NocPlace::worker({3, 3}), 32));
    few.interval = 100'000;
    const Stream beside = stream(write({1, 0}, NocPlace::worker({2, 0}), kBytes));

    const StreamRun run(small.machine(), {flood, few, beside});

    EXPECT_NEAR(rate(run, 2), rate(StreamRun(small.machine(), {beside}), 0), 1.0);
}

TEST(NocSharing, AnAnswerThatWaitsForItsPortHoldsTheLinksBehindIt) {
    // The neighbour (1,0) writes to (2,0) without a pause. Reads of (0,0) by (2,0) wait on the
    // path, and one of two channels is left for the reads of (3,0) over the same links.
    const SmallMachine small;
    Stream flood = stream(write({1, 0}, NocPlace::worker({2, 0}), kBytes));
    flood.requests.resize(4 * kTransfers, flood.requests.front());
    Stream waits = stream(read({2, 0}, NocPlace::worker({0, 0}), kBytes));
    waits.most_queued = kTransfers;

    const StreamRun run(small.machine(), {flood, waits});

    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * 33), 1.0);
}

TEST(NocSharing, SameStreamsGiveTheSameTimes) {
    const SmallMachine small;
    std::vector<Stream> streams;
    for (std::uint32_t i = 0; i < 16; ++i) {
        streams.push_back(
            stream(write({i % 4, i / 4}, NocPlace::worker({(i * 7) % 4, (i * 3) % 4}), kBytes)));
    }

    const StreamRun first(small.machine(), streams);
    const StreamRun second(small.machine(), streams);

    for (std::size_t s = 0; s < streams.size(); ++s) {
        EXPECT_EQ(first.end(s), second.end(s)) << "stream " << s;
    }
}

TEST(NocSharing, UsesCountBytesOfEachLinkOnTheWay) {
    // (1,0) → (4,0): injection, three links, ejection.
    const StreamRun run(SmallMachine().machine(),
                        {stream(write({0, 0}, NocPlace::worker({2, 0}), kBytes))});

    const std::vector<ResourceUse> uses = run.uses();

    ASSERT_EQ(uses.size(), 5U);
    EXPECT_EQ(uses[0].kind, ResourceKind::NocInjection);
    EXPECT_EQ(uses[0].node, (CoreCoord{1, 0}));
    EXPECT_EQ(uses[1].kind, ResourceKind::NocLink);
    EXPECT_EQ(uses[1].direction, 0);
    EXPECT_EQ(uses[3].node, (CoreCoord{3, 0}));
    EXPECT_EQ(uses[4].kind, ResourceKind::NocEjection);
    EXPECT_EQ(uses[4].node, (CoreCoord{4, 0}));
    for (const ResourceUse& use : uses) {
        EXPECT_EQ(use.bytes, std::uint64_t{kTransfers} * kBytes);
        EXPECT_EQ(use.busy, Millicycles{kTransfers} * 33 * kMillicyclesPerCycle);
    }
}

}  // namespace
}  // namespace tessera::timing
