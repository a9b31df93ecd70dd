// SPDX-License-Identifier: Apache-2.0
// Streams beside each other: who shares, and who does not notice.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/emu/timing/network/small_machine.hpp"
#include "tests/unit/emu/timing/network/streams.hpp"

namespace tessera::timing {
namespace {

constexpr double kCycle = kMillicyclesPerCycle;
constexpr std::uint32_t kTransfers = 200;
constexpr std::uint32_t kBytes = 1024;

Stream stream(const Request& request) {
    return {
        .requests = std::vector<Request>(kTransfers, request), .interval = 1000, .most_queued = 2};
}

double rate(const StreamRun& run, std::size_t stream) {
    return kTransfers * kBytes * kCycle / static_cast<double>(run.end(stream));
}

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
    // What they read goes the ways of the flows above; the first request has to go there, too.
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(read({2, 0}, NocPlace::worker({0, 0}), kBytes)),
                                          stream(read({3, 0}, NocPlace::worker({1, 0}), kBytes))});

    EXPECT_NEAR(rate(run, 0), 1024.0 / (2 * 33), 0.8);
    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * 33), 0.8);
}

TEST(NocSharing, RoutersLetTheirInputsTakeTurns) {
    // Into node (5,4): two flows down column 5, one along row 4. The row gets half of the port,
    // until it is done; the column's two get a quarter each, and all of it shared then.
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

TEST(NocSharing, AWriterFindsItsTurnAmongReadersOfItsBank) {
    // Of the bank's time a read takes 2 + 1024 / 16 cycles, a write 2 + 1024 / 8.
    const SmallMachine small;
    const NocPlace bank = NocPlace::dram(2);
    std::vector<Stream> streams{stream(write({3, 0}, bank, kBytes))};
    for (const CoreCoord reader : {CoreCoord{0, 0}, CoreCoord{1, 1}, CoreCoord{2, 3}}) {
        streams.push_back(stream(read(reader, bank, kBytes)));
        streams.back().requests.resize(4 * kTransfers, streams.back().requests.front());
    }

    const StreamRun run(small.machine(), streams);

    const std::vector<Times>& writes = run.times[0];
    const auto span = static_cast<double>(writes.back().delivered - writes.front().delivered);
    EXPECT_NEAR(span / kCycle / (kTransfers - 1), 66 + 130, 5);
}

/// Cycles from one departure to the next of writes to one bank, the first `count` of them.
double departure_interval(const SmallMachine& machine, std::size_t count) {
    const StreamRun run(machine.machine(), {stream(write({0, 0}, NocPlace::dram(2), kBytes))});
    const std::vector<Times>& writes = run.times[0];
    const auto span = static_cast<double>(writes[count - 1].departed - writes.front().departed);
    return span / kCycle / static_cast<double>(count - 1);
}

TEST(NocSharing, WritesGoIntoTheBufferOfTheirBankAtThePaceOfItsPort) {
    SmallMachine small;
    small.timing.dram.write_port_rate = BytesPerCycle{16};
    small.timing.dram.write_buffer = Bytes{1 << 20};

    EXPECT_NEAR(departure_interval(small, kTransfers), 1024.0 / 16, 1);
}

TEST(NocSharing, WritesGoAtThePaceOfTheirBankOnceItsBufferIsFull) {
    SmallMachine small;
    small.timing.dram.write_port_rate = BytesPerCycle{16};

    EXPECT_NEAR(departure_interval(small, kTransfers), 2 + 1024.0 / 8, 4);
}

TEST(NocSharing, AWriteInTheBufferOfABusyBankHoldsNoLink) {
    // Reads of bank 2 take its time by turns with writes; a neighbour's writes to a worker share
    // links with those to the bank and find them free for all but what passes there.
    SmallMachine small;
    small.timing.dram.write_port_rate = BytesPerCycle{32};
    small.timing.dram.write_buffer = Bytes{1 << 20};
    Stream to_bank = stream(write({0, 0}, NocPlace::dram(2), kBytes));
    Stream to_worker = stream(write({1, 0}, NocPlace::worker({3, 3}), kBytes));
    std::vector<Stream> streams{to_bank, to_worker};
    for (const CoreCoord reader : {CoreCoord{1, 1}, CoreCoord{2, 3}}) {
        streams.push_back(stream(read(reader, NocPlace::dram(2), kBytes)));
    }

    const StreamRun run(small.machine(), streams);

    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * 33), 1);
}

TEST(NocSharing, ReadsThatAreHeldBackWaitForTheirBank) {
    const SmallMachine small;
    const NocPlace bank = NocPlace::dram(2);
    const auto latency = static_cast<std::size_t>(ResourceKind::NocLatency);
    const auto dram = static_cast<std::size_t>(ResourceKind::Dram);
    Stream one = stream(read({0, 0}, bank, kBytes));
    one.requests.resize(1);

    const StreamRun alone(small.machine(), {one});
    const StreamRun run(small.machine(),
                        {stream(read({0, 0}, bank, kBytes)), stream(read({1, 1}, bank, kBytes)),
                         stream(read({2, 3}, bank, kBytes))});

    const Times& last = run.times[0].back();
    EXPECT_LE(last.transit[latency], alone.times[0][0].transit[latency]);
    // Each of the reads that were issued before it takes 66 cycles of the bank.
    EXPECT_GT(last.transit[dram], Transit::value_type{(kTransfers - 1) * 66'000});
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

TEST(NocSharing, ReadersOfOneCoreShareItsInjectionPort) {
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(read({0, 1}, NocPlace::worker({0, 0}), kBytes)),
                                          stream(read({1, 0}, NocPlace::worker({0, 0}), kBytes))});

    EXPECT_NEAR(rate(run, 0), 1024.0 / (2 * (1 + 64)), 0.3);
    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * (1 + 64)), 0.3);
}

TEST(NocSharing, APortAnswersSmallReadsOneSlotApart) {
    // A read of 64 B takes the port 1 + 4 cycles; with a slot of 12 the port answers every 12.
    SmallMachine small;
    const std::vector<Stream> streams{stream(read({0, 1}, NocPlace::worker({0, 0}), 64)),
                                      stream(read({1, 0}, NocPlace::worker({0, 0}), 64))};
    small.timing.noc.read_slot = Cycles{12};

    const StreamRun run(small.machine(), streams);

    EXPECT_NEAR(static_cast<double>(run.end()), 2 * kTransfers * 12 * kCycle, 200 * kCycle);
}

TEST(NocSharing, ASlotDelaysNoReadThatIsAlone) {
    SmallMachine small;
    Stream one = stream(read({0, 1}, NocPlace::dram(2), 64));
    one.requests.resize(1);
    const StreamRun without(small.machine(), {one});
    small.timing.dram.read_slot = Cycles{50};

    const StreamRun with(small.machine(), {one});

    EXPECT_EQ(with.end(), without.end());
}

TEST(NocSharing, APortOfDramAnswersSmallReadsOneSlotApart) {
    SmallMachine small;
    small.timing.dram.read_slot = Cycles{50};

    const StreamRun run(small.machine(), {stream(read({0, 1}, NocPlace::dram(2), 64)),
                                          stream(read({1, 0}, NocPlace::dram(2), 64))});

    EXPECT_NEAR(static_cast<double>(run.end()), 2 * kTransfers * 50 * kCycle, 300 * kCycle);
}

TEST(NocSharing, ReadsBeyondTheLimitWaitForEarlierOnes) {
    // One at a time: each takes the latency of a read alone.
    SmallMachine small;
    small.timing.noc.outstanding_reads = 1;
    Stream reads = stream(read({0, 0}, NocPlace::worker({1, 0}), 64));
    reads.requests.resize(3);

    const StreamRun run(small.machine(), {reads});

    const Millicycles alone = run.times[0][0].delivered;
    EXPECT_EQ(run.times[0][1].delivered, 2 * alone);
    EXPECT_EQ(run.times[0][2].delivered, 3 * alone);
}

TEST(NocSharing, WritesBeyondTheLimitWaitForAcknowledgements) {
    SmallMachine small;
    small.timing.noc.outstanding_writes = 1;
    Stream writes = stream(write({0, 0}, NocPlace::worker({1, 0}), 64));
    writes.requests.resize(2);

    const StreamRun run(small.machine(), {writes});

    EXPECT_EQ(run.times[0][1].acknowledged, 2 * run.times[0][0].acknowledged);
}

class DramReaders : public testing::TestWithParam<std::uint32_t> {};

TEST_P(DramReaders, ShareOneBankAtItsRate) {
    const SmallMachine small;
    std::vector<Stream> streams;
    for (std::uint32_t i = 0; i < GetParam(); ++i) {
        streams.push_back(stream(read({i % 4, i / 4}, NocPlace::dram(2), kBytes)));
    }

    const StreamRun run(small.machine(), streams);

    const double total = GetParam() * kTransfers * kBytes * kCycle;
    EXPECT_NEAR(total / static_cast<double>(run.end()), 1024.0 / (2 + 64), 0.4);
}

INSTANTIATE_TEST_SUITE_P(Counts, DramReaders, testing::Values(1U, 2U, 4U, 8U, 16U),
                         testing::PrintToStringParamName());

TEST(NocSharing, RequestsThatAPortDoesNotAcceptHoldUpThoseToOtherPorts) {
    // 200 requests to bank 2 fill the buffers down column 3 and along row 0, 16 each; a read from
    // (2,0) of (4,0) has to pass one of them. Where the port accepts them all, it does not wait.
    SmallMachine small;
    Stream many = stream(read({0, 0}, NocPlace::dram(2), kBytes));
    many.most_queued = kTransfers;
    const Stream one{.requests = {read({1, 0}, NocPlace::worker({2, 0}), 32)}, .begin = 1'000'000};
    const StreamRun alone(small.machine(), {one});

    const StreamRun held(small.machine(), {many, one});
    small.timing.noc.port_requests = kTransfers;  // of an L1: another port
    const StreamRun still_held(small.machine(), {many, one});
    small.timing.dram.port_requests = kTransfers;
    const StreamRun passing(small.machine(), {many, one});

    const Millicycles bank_time = (2 + 64) * kMillicyclesPerCycle;
    EXPECT_GT(held.end(1), alone.end(0) + 15 * bank_time);
    EXPECT_EQ(still_held.end(1), held.end(1));
    EXPECT_LT(passing.end(1), alone.end(0) + bank_time);
}

TEST(NocSharing, RequestsHaveAFlitOfEachChannelWhereTheRestOfTheBufferIsTaken) {
    // Of eight requests to bank 2 its port accepts four. The other four lie in the last link's
    // buffer; where a channel has no more than its own flit, they reach back to row 0, and a read
    // from (2,0) of (4,0) has to pass one of them.
    constexpr std::uint32_t kFew = 8;
    SmallMachine small;
    Stream few = stream(read({0, 0}, NocPlace::dram(2), kBytes));
    few.requests.resize(kFew, few.requests.front());
    const Stream one{.requests = {read({1, 0}, NocPlace::worker({2, 0}), 32)}, .begin = 20'000};
    const Millicycles bank_time = (2 + 64) * kMillicyclesPerCycle;

    const StreamRun passing(small.machine(), {few, one});
    EXPECT_EQ(passing.end(1), StreamRun(small.machine(), {one}).end(0));

    small.timing.noc.router_buffer = Bytes{kNocVirtualChannels * 32};
    const StreamRun held(small.machine(), {few, one});
    EXPECT_GT(held.end(1), StreamRun(small.machine(), {one}).end(0) + bank_time);
}

TEST(NocSharing, TwoBanksBehindOneChannelShareItsRate) {
    // Banks 0 and 1 give 16 B/cycle each alone, and as much together.
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(read({0, 0}, NocPlace::dram(0), kBytes)),
                                          stream(read({0, 1}, NocPlace::dram(1), kBytes))});

    EXPECT_NEAR(rate(run, 0) + rate(run, 1), 1024.0 / 64, 0.4);
}

TEST(NocSharing, WritesToOneBankHoldUpThoseToAnother) {
    // Bank 2 takes 8 B/cycle. One core that writes to it and to a worker by turns gets no more to
    // the worker, as commands leave in order.
    const SmallMachine small;
    Stream both = stream(write({0, 0}, NocPlace::dram(2), kBytes));
    for (std::size_t i = 0; i < kTransfers; i += 2) {
        both.requests[i].place = NocPlace::worker({3, 3});
    }

    const StreamRun run(small.machine(), {both});

    EXPECT_NEAR(rate(run, 0), 2 * 1024.0 / (2 + 128), 0.6);
}

TEST(NocSharing, SmallPacketsFromNearFindRoomBeforeThoseFromFar) {
    // One-word flows into one port, each far below its rate, do not see each other.
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
    // 2 × 2 receivers, the sender among them: 1 + 320 / 16 cycles of data, and 4 of answers.
    Request request = multicast({0, 0}, {0, 0}, {1, 1}, 320);
    request.is_linked = true;
    request.includes_sender = true;

    const StreamRun run(SmallMachine().machine(), {stream(request)});

    const std::vector<Times>& times = run.times[0];
    EXPECT_EQ(times.back().departed - times[1].departed, (kTransfers - 2) * (21 + 4) * 1000);
}

TEST(NocSharing, SmallPacketsWaitInOneBufferAndLeaveTheLinkToOthers) {
    // Core (0,0) writes 32 B to a worker at the end of column 5, whose port another core's packets
    // of 1 KiB keep busy: 16 of them fit into a router's buffer, so that they do not hold the links
    // of row 0, over which (1,0) writes to (4,0) at its full rate.
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
    // (2,0) is written to by its neighbour (1,0) without a pause; what it reads from (0,0) waits on
    // the way, and one channel of two is left for what (3,0) reads over the same links.
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
