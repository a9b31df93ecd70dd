// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/emu/api/fabric/fabric_run.hpp"

namespace tessera {
namespace {

using testing::FabricRun;
using testing::Scenario;

struct Mode {
    const char* name;
    NocDelivery delivery;
    std::uint32_t threads;
};

class Fabric : public ::testing::TestWithParam<Mode> {
protected:
    Fabric() : run_({.threads = GetParam().threads, .delivery = GetParam().delivery, .seed = 7}) {}

    FabricRun run_;
};

TEST_P(Fabric, AnIncrementDoesNotOvertakeThePayloadBeforeIt) {
    run_.receivers = {2};

    run_.launch(Scenario::WriteThenIncrement);

    EXPECT_EQ(run_.seen(2), run_.payload());
}

TEST_P(Fabric, AFusedPacketCarriesPayloadAndIncrement) {
    run_.receivers = {3};
    run_.hops = 2;

    run_.launch(Scenario::Fused);

    EXPECT_EQ(run_.seen(3), run_.payload());
}

TEST_P(Fabric, TheSourceMayBeReusedAfterAFlushBlockingSend) {
    run_.receivers = {0};
    run_.direction = LinkDirection::West;

    run_.launch(Scenario::FusedFlushedSource);

    EXPECT_EQ(run_.seen(0), run_.payload());
}

TEST_P(Fabric, AKeptHeaderIsSentAgainWithOtherFields) {
    run_.receivers = {2};

    run_.launch(Scenario::KeptHeader);

    EXPECT_EQ(run_.seen(2), run_.payload());
}

TEST_P(Fabric, OneConnectionReachesDevicesAtDifferentDistances) {
    run_.receivers = {2, 3};

    run_.launch(Scenario::TwoDevicesOneLink);

    EXPECT_EQ(run_.seen(2), run_.payload());
    EXPECT_EQ(run_.seen(3), run_.payload());
}

TEST_P(Fabric, APayloadMayStandBehindItsHeader) {
    run_.receivers = {2};
    run_.size = 16;

    run_.launch(Scenario::PayloadBehindHeader);

    const std::vector<std::uint8_t> expected{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
                                             0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99};
    EXPECT_EQ(run_.seen(2), expected);
}

TEST_P(Fabric, AnInlineWriteSetsAWordThatAThreadWaitsOn) {
    run_.receivers = {2};

    run_.launch(Scenario::InlineWrite);

    EXPECT_EQ(run_.seen(2), std::vector<std::uint8_t>(64, 0xEE));
}

std::vector<std::uint8_t> with_chunks_reversed(std::vector<std::uint8_t> bytes, std::size_t chunk) {
    std::vector<std::uint8_t> reversed;
    for (std::size_t end = bytes.size(); end > 0; end -= chunk) {
        reversed.insert(reversed.end(), bytes.begin() + static_cast<std::ptrdiff_t>(end - chunk),
                        bytes.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return reversed;
}

TEST_P(Fabric, APayloadInTwoChunksGoesToTwoPlaces) {
    run_.receivers = {2};

    const LaunchResult result = run_.launch(Scenario::Scatter);

    EXPECT_EQ(run_.seen(2), with_chunks_reversed(run_.payload(), 32));
    EXPECT_EQ(result.cores[0].bytes_linked, 64U);
}

TEST_P(Fabric, APayloadInFourChunksGoesToFourPlaces) {
    run_.receivers = {3};
    run_.hops = 2;

    run_.launch(Scenario::ScatterOfFour);

    EXPECT_EQ(run_.seen(3), with_chunks_reversed(run_.payload(), 16));
}

TEST_P(Fabric, AMulticastReachesEachDeviceOfItsRange) {
    run_.receivers = {2, 3};
    run_.range = 2;

    const LaunchResult result = run_.launch(Scenario::MulticastFused);

    EXPECT_EQ(run_.seen(2), run_.payload());
    EXPECT_EQ(run_.seen(3), run_.payload());
    EXPECT_EQ(result.cores[0].bytes_linked, 64U);
}

// Only device 3 receives: device 2 has no receiver that would consume an increment.
TEST_P(Fabric, AMulticastPassesDevicesBeforeItsRange) {
    run_.receivers = {3};
    run_.hops = 2;
    run_.range = 1;

    run_.launch(Scenario::MulticastFused);

    EXPECT_EQ(run_.seen(3), run_.payload());
    EXPECT_NE(run_.at_destination(2), run_.payload());
}

TEST_P(Fabric, AMulticastCarriesChunks) {
    run_.receivers = {2, 3};
    run_.range = 2;

    run_.launch(Scenario::MulticastScatter);

    EXPECT_EQ(run_.seen(2), with_chunks_reversed(run_.payload(), 32));
    EXPECT_EQ(run_.seen(3), with_chunks_reversed(run_.payload(), 32));
}

TEST_P(Fabric, AMulticastSetsAWordOnEachDevice) {
    run_.receivers = {2, 3};
    run_.range = 2;

    run_.launch(Scenario::MulticastInline);

    EXPECT_EQ(run_.seen(2), std::vector<std::uint8_t>(64, 0xEE));
    EXPECT_EQ(run_.seen(3), std::vector<std::uint8_t>(64, 0xEE));
}

TEST_P(Fabric, TheLargestPayloadIs7616Bytes) {
    run_.receivers = {2};
    run_.size = 7616;

    const LaunchResult result = run_.launch(Scenario::Fused);

    EXPECT_EQ(run_.seen(2), run_.payload());
    EXPECT_EQ(result.cores[0].bytes_linked, 7616U);
}

TEST_P(Fabric, EachLaunchBeginsWithClosedLinksAndAFreshPool) {
    run_.receivers = {2};

    for (int launch = 0; launch < 20; ++launch) {
        run_.launch(Scenario::Fused);
    }

    EXPECT_EQ(run_.seen(2), run_.payload());
}

INSTANTIATE_TEST_SUITE_P(Modes, Fabric,
                         ::testing::Values(Mode{"AtIssue", NocDelivery::AtIssue, 1},
                                           Mode{"AtBarrier", NocDelivery::AtBarrier, 1},
                                           Mode{"Random", NocDelivery::Random, 1},
                                           Mode{"TwoThreads", NocDelivery::AtBarrier, 2},
                                           Mode{"FiveThreads", NocDelivery::AtBarrier, 5}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tessera
