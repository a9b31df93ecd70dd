// SPDX-License-Identifier: Apache-2.0
// Streams that share a DRAM bank.
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/network/even_streams.hpp"

namespace tessera::timing {
namespace {

constexpr double kCycle = kMillicyclesPerCycle;

TEST(BankSharing, AWriterFindsItsTurnAmongReadersOfItsBank) {
    // Bank time: 2 + 1024 / 16 cycles for a read, 2 + 1024 / 8 for a write. The read uses the other
    // NoC: on the writes' NoC it would queue behind their requests.
    const SmallMachine small;
    const NocPlace bank = NocPlace::dram(2);
    std::vector<Stream> streams{stream(write({3, 0}, bank, kBytes, 1))};
    for (const CoreCoord reader : {CoreCoord{0, 0}, CoreCoord{1, 1}, CoreCoord{2, 3}}) {
        streams.push_back(stream(read(reader, bank, kBytes)));
        streams.back().requests.resize(4 * kTransfers, streams.back().requests.front());
    }

    const StreamRun run(small.machine(), streams);

    const std::vector<Times>& writes = run.times[0];
    const auto span = static_cast<double>(writes.back().delivered - writes.front().delivered);
    EXPECT_NEAR(span / kCycle / (kTransfers - 1), 66 + 130, 5);
}

/// Returns the cycles between departures of the first `count` writes to one bank.
double departure_interval(const SmallMachine& machine, std::size_t count) {
    const StreamRun run(machine.machine(), {stream(write({0, 0}, NocPlace::dram(2), kBytes))});
    const std::vector<Times>& writes = run.times[0];
    const auto span = static_cast<double>(writes[count - 1].departed - writes.front().departed);
    return span / kCycle / static_cast<double>(count - 1);
}

TEST(BankSharing, WritesGoIntoTheBufferOfTheirBankAtThePaceOfItsPort) {
    SmallMachine small;
    small.timing.dram.write_port_rate = BytesPerCycle{16};
    small.timing.dram.write_buffer = Bytes{1 << 20};

    EXPECT_NEAR(departure_interval(small, kTransfers), 1024.0 / 16, 1);
}

TEST(BankSharing, WritesGoAtThePaceOfTheirBankOnceItsBufferIsFull) {
    SmallMachine small;
    small.timing.dram.write_port_rate = BytesPerCycle{16};

    EXPECT_NEAR(departure_interval(small, kTransfers), 2 + 1024.0 / 8, 4);
}

TEST(BankSharing, AWriteFlowsIntoABufferThatHasRoomForPartOfIt) {
    // The bank processes the first write; the second fills two thirds of the buffer.
    SmallMachine small;
    small.timing.dram.write_port_rate = BytesPerCycle{16};
    small.timing.dram.write_buffer = Bytes{1536};
    SmallMachine endless = small;
    endless.timing.dram.write_buffer = Bytes{1 << 20};

    EXPECT_EQ(departure_interval(small, 4), departure_interval(endless, 4));
    EXPECT_GT(departure_interval(small, 7), departure_interval(endless, 7) + 10);
}

TEST(BankSharing, AChannelTurnsBetweenReadsAndWrites) {
    // The channel takes 1024 / 16 cycles per access and 200 to turn around.
    SmallMachine small;
    small.timing.dram.turnaround = Cycles{200};
    const NocPlace bank = NocPlace::dram(2);
    const Stream reads = stream(read({0, 0}, bank, kBytes));

    const StreamRun alone(small.machine(), {reads});
    const StreamRun mixed(small.machine(), {reads, stream(write({3, 0}, bank, kBytes))});

    EXPECT_NEAR(rate(alone, 0), 1024.0 / (2 + 64), 0.4);
    EXPECT_NEAR(1024 / rate(mixed, 0), 2 * (64 + 200), 5);
    EXPECT_NEAR(1024 / rate(mixed, 1), 2 * (64 + 200), 5);
}

TEST(BankSharing, AWriteInTheBufferOfABusyBankHoldsNoLink) {
    // Reads of bank 2 over NoC 1 and writes take its time in turn. A neighbour's writes to a worker
    // share links with those to the bank; these links are free except for the traffic that crosses
    // them.
    SmallMachine small;
    small.timing.dram.write_port_rate = BytesPerCycle{32};
    small.timing.dram.write_buffer = Bytes{1 << 20};
    Stream to_bank = stream(write({0, 0}, NocPlace::dram(2), kBytes));
    Stream to_worker = stream(write({1, 0}, NocPlace::worker({3, 3}), kBytes));
    std::vector<Stream> streams{to_bank, to_worker};
    for (const CoreCoord reader : {CoreCoord{1, 1}, CoreCoord{2, 3}}) {
        streams.push_back(stream(read(reader, NocPlace::dram(2), kBytes, 1)));
    }

    const StreamRun run(small.machine(), streams);

    EXPECT_NEAR(rate(run, 1), 1024.0 / (2 * 33), 1);
}

TEST(BankSharing, ReadsThatAreHeldBackWaitForTheirBank) {
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
    // Each read that was issued before it takes 66 cycles of the bank.
    EXPECT_GT(last.transit[dram], Transit::value_type{(kTransfers - 1) * 66'000});
}

TEST(BankSharing, APortOfDramAnswersSmallReadsOneSlotApart) {
    SmallMachine small;
    small.timing.dram.read_slot = Cycles{50};

    const StreamRun run(small.machine(), {stream(read({0, 1}, NocPlace::dram(2), 64)),
                                          stream(read({1, 0}, NocPlace::dram(2), 64))});

    EXPECT_NEAR(static_cast<double>(run.end()), 2 * kTransfers * 50 * kCycle, 300 * kCycle);
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

TEST(BankSharing, TwoBanksBehindOneChannelShareItsRate) {
    // Banks 0 and 1 provide 16 B/cycle each alone, and the same sum together.
    const SmallMachine small;

    const StreamRun run(small.machine(), {stream(read({0, 0}, NocPlace::dram(0), kBytes)),
                                          stream(read({0, 1}, NocPlace::dram(1), kBytes))});

    EXPECT_NEAR(rate(run, 0) + rate(run, 1), 1024.0 / 64, 0.4);
}

TEST(BankSharing, WritesToOneBankHoldUpThoseToAnother) {
    // Bank 2 accepts 8 B/cycle. A core that writes alternately to it and to a worker has the same
    // rate to the worker, because commands leave in order.
    const SmallMachine small;
    Stream both = stream(write({0, 0}, NocPlace::dram(2), kBytes));
    for (std::size_t i = 0; i < kTransfers; i += 2) {
        both.requests[i].place = NocPlace::worker({3, 3});
    }

    const StreamRun run(small.machine(), {both});

    EXPECT_NEAR(rate(run, 0), 2 * 1024.0 / (2 + 128), 0.6);
}

}  // namespace
}  // namespace tessera::timing
