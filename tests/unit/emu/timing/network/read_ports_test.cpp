// SPDX-License-Identifier: Apache-2.0
// Ports that answer reads: how many requests they accept, and when they answer.
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/network/even_streams.hpp"

namespace tessera::timing {
namespace {

constexpr double kCycle = kMillicyclesPerCycle;

TEST(ReadPorts, ReadersOfOneCoreShareItsInjectionPort) {
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(read({0, 1}, NocPlace::worker({0, 0}), kBytes)),
                                          stream(read({1, 0}, NocPlace::worker({0, 0}), kBytes))});

    EXPECT_NEAR(rate(run, 0), 1024.0 / (2 * (1 + 64)), 0.3);
    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * (1 + 64)), 0.3);
}

TEST(ReadPorts, APortAnswersSmallReadsOneSlotApart) {
    // A read of 64 B takes 1 + 4 cycles of the port; with a slot of 12, the port answers every 12.
    SmallMachine small;
    const std::vector<Stream> streams{stream(read({0, 1}, NocPlace::worker({0, 0}), 64)),
                                      stream(read({1, 0}, NocPlace::worker({0, 0}), 64))};
    small.timing.noc.read_slot = Cycles{12};

    const StreamRun run(small.machine(), streams);

    EXPECT_NEAR(static_cast<double>(run.end()), 2 * kTransfers * 12 * kCycle, 200 * kCycle);
}

TEST(ReadPorts, ASlotDelaysNoReadThatIsAlone) {
    SmallMachine small;
    Stream one = stream(read({0, 1}, NocPlace::dram(2), 64));
    one.requests.resize(1);
    const StreamRun without(small.machine(), {one});
    small.timing.dram.read_slot = Cycles{50};

    const StreamRun with(small.machine(), {one});

    EXPECT_EQ(with.end(), without.end());
}

TEST(ReadPorts, ReadsBeyondTheLimitWaitForEarlierOnes) {
    // One at a time: each read has the latency of a single read.
    SmallMachine small;
    small.timing.noc.outstanding_reads = 1;
    Stream reads = stream(read({0, 0}, NocPlace::worker({1, 0}), 64));
    reads.requests.resize(3);

    const StreamRun run(small.machine(), {reads});

    const Millicycles alone = run.times[0][0].delivered;
    EXPECT_EQ(run.times[0][1].delivered, 2 * alone);
    EXPECT_EQ(run.times[0][2].delivered, 3 * alone);
}

TEST(ReadPorts, RequestsThatAPortDoesNotAcceptHoldUpThoseToOtherPorts) {
    // 200 requests to bank 2 fill the buffers along column 3 and row 0, 16 each. A read of (4,0)
    // from (2,0) must pass one of them. If the port accepts all requests, the read does not wait.
    SmallMachine small;
    Stream many = stream(read({0, 0}, NocPlace::dram(2), kBytes));
    many.most_queued = kTransfers;
    const Stream one{.requests = {read({1, 0}, NocPlace::worker({2, 0}), 32)}, .begin = 1'000'000};
    const StreamRun alone(small.machine(), {one});

    const StreamRun held(small.machine(), {many, one});
    small.timing.noc.port_requests = kTransfers;  // L1 port, not the bank's
    const StreamRun still_held(small.machine(), {many, one});
    small.timing.dram.port_requests = kTransfers;
    const StreamRun passing(small.machine(), {many, one});

    const Millicycles bank_time = (2 + 64) * kMillicyclesPerCycle;
    EXPECT_GT(held.end(1), alone.end(0) + 15 * bank_time);
    EXPECT_EQ(still_held.end(1), held.end(1));
    EXPECT_LT(passing.end(1), alone.end(0) + bank_time);
}

TEST(ReadPorts, RequestsThatAPortDoesNotAcceptHoldUpWhatIsWritten) {
    // The same requests. A write from (2,0) to (4,0) shares a link and its static channel with
    // them. Answers have separate channels, so a write does not wait for them.
    SmallMachine small;
    Stream many = stream(read({0, 0}, NocPlace::dram(2), kBytes));
    many.most_queued = kTransfers;
    const Stream one{.requests = {write({1, 0}, NocPlace::worker({2, 0}), 32)}, .begin = 1'000'000};
    const StreamRun alone(small.machine(), {one});

    const StreamRun held(small.machine(), {many, one});
    small.timing.dram.port_requests = kTransfers;
    const StreamRun passing(small.machine(), {many, one});

    const Millicycles bank_time = (2 + 64) * kMillicyclesPerCycle;
    EXPECT_GT(held.end(1), alone.end(0) + 15 * bank_time);
    EXPECT_LT(passing.end(1), alone.end(0) + bank_time);
}

TEST(ReadPorts, APortTakesRequestsOfBothSidesOfTheDatelineInTurn) {
    // Both read bank 1 at (0,2): from (1,1) along its column's ring without crossing the dateline,
    // from (1,3) across it. Each has half of the bank's rate.
    const SmallMachine small;
    Stream before = stream(read({0, 1}, NocPlace::dram(1), kBytes));
    Stream past = stream(read({0, 2}, NocPlace::dram(1), kBytes));
    before.most_queued = past.most_queued = kTransfers;

    const StreamRun run(small.machine(), {before, past});

    const auto last = static_cast<double>(run.end());
    EXPECT_NEAR(static_cast<double>(run.end(0)), last, 0.05 * last);
    EXPECT_NEAR(static_cast<double>(run.end(1)), last, 0.05 * last);
}

TEST(ReadPorts, RequestsHaveAFlitOfEachChannelWhereTheRestOfTheBufferIsTaken) {
    // The port of bank 2 accepts four of eight requests. The other four are in the last link's
    // buffer. If a channel has only its own flit, they extend back to row 0, and a read of (4,0)
    // from (2,0) must pass one of them.
    constexpr std::uint32_t kFew = 8;
    SmallMachine small;
    Stream few = stream(read({0, 0}, NocPlace::dram(2), kBytes));
    few.requests.resize(kFew, few.requests.front());
    const Stream one{.requests = {read({1, 0}, NocPlace::worker({2, 0}), 32)}, .begin = 40'000};
    const Millicycles bank_time = (2 + 64) * kMillicyclesPerCycle;

    const StreamRun passing(small.machine(), {few, one});
    EXPECT_EQ(passing.end(1), StreamRun(small.machine(), {one}).end(0));

    small.timing.noc.router_buffer = Bytes{kNocVirtualChannels * 32};
    const StreamRun held(small.machine(), {few, one});
    EXPECT_GT(held.end(1), StreamRun(small.machine(), {one}).end(0) + bank_time);
}

}  // namespace
}  // namespace tessera::timing
