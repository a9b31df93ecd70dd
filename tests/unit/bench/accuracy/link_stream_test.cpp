// SPDX-License-Identifier: Apache-2.0
// Expected rates: the time of a packet is the longest of the wire, either end, and the round trip
// that 15 packets share. On the wire a packet has 16 B more and 50 B per frame, at 10 B/ns. An
// acknowledgement of 16 B has the same frame overhead.
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

Model model() {
    ArchSpec arch = testing::make_arch(4, 4);
    arch.workers.noc_columns = arch.workers.noc_rows = {1, 2, 3, 4};
    TimingSpec timing = testing::fast_timing(arch);
    timing.link = {.rate = BytesPerSecond{10e9},
                   .hop_latency = Seconds{500e-9},
                   .packet_overhead = Bytes{48},
                   .frame = Bytes{1500},
                   .frame_overhead = Bytes{50},
                   .max_payload = Bytes{4096},
                   .sender_slots = 8,
                   .receiver_slots = 16};
    const UnreplayedCosts costs{.core_latency_ns = 400,
                                .core_send_ns = 50,
                                .core_receive_ns = 30,
                                .core_deliver_ns = 20,
                                .core_track_ns = 10,
                                .core_poll_cycles = 5};
    Model model = testing::without_ranges(arch, timing);
    model.costs = {costs, costs, costs};
    return model;
}

double predicted(const char* workload, const char* parameters, const char* unit,
                 const Model& model = score::model()) {
    const Row row{.arch = "wormhole", .workload = workload, .metric = "figure", .unit = unit};
    return predict_link_stream(row, Parameters(parameters), model).expected;
}

constexpr const char* kStream = "Ethernet link stream";
// Accuracy of a rate over 4096 packets whose first and last ones take longer.
constexpr double kEnds = 0.02;

/// Returns the ns per packet of 100 B.
double packet_time(const char* parameters, const Model& model = score::model(),
                   const char* workload = kStream) {
    return 100 / predicted(workload, parameters, "GB/s", model);
}

Model far_apart(std::uint32_t loads_until_flush) {
    Model far = model();
    for (UnreplayedCosts* costs : {&far.costs.low, &far.costs.expected, &far.costs.high}) {
        costs->core_latency_ns = 1500;
        costs->core_loads_until_flush = loads_until_flush;
    }
    return far;
}

constexpr const char* kOneWay = "bytes_per_packet=100;bidirectional=False";
constexpr const char* kBothWays = "bytes_per_packet=100;bidirectional=True";
constexpr const char* kToWorker = "bytes_per_packet=100;receiver_writes_worker=True";
// 100 + 16 + 50 B and 16 + 50 B on the wire, between two latencies. Each latency contains half of
// both ends' time for a packet.
constexpr double kRoundTrip = 2 * 1500 + 16.6 + 6.6;

TEST(LinkStream, FifteenPacketsShareARoundTrip) {
    EXPECT_NEAR(packet_time(kOneWay, far_apart(0)), kRoundTrip / 15, kEnds * kRoundTrip / 15);
}

TEST(LinkStream, AnEndThatWaitsReadsAnOldLineUntilItsCacheIsFlushed) {
    const double poll = 5;  // ns: the fixture's clock is 1 GHz

    EXPECT_GT(packet_time(kOneWay, far_apart(128)), (kRoundTrip + 128 * poll) / 15);
}

TEST(LinkStream, GoesAtTheSendersPaceWhileTheLinkIsFaster) {
    EXPECT_NEAR(packet_time(kOneWay), 50 + 5, kEnds * 55);
}

TEST(LinkStream, BothWaysEachEndSendsAndReceives) {
    EXPECT_NEAR(packet_time(kBothWays), 50 + 30 + 5, kEnds * 85);
}

TEST(LinkStream, EndsThatNeverWaitReadNoOldLine) {
    Model cached = model();
    cached.costs.expected.core_loads_until_flush = 128;

    EXPECT_NEAR(packet_time(kBothWays, cached), 50 + 30 + 5, kEnds * 85);
}

TEST(LinkStream, AReceiverThatWritesToAWorkerHoldsTheSenderUp) {
    EXPECT_NEAR(packet_time(kToWorker), 30 + 20 + 10 + 5, kEnds * 65);
}

TEST(LinkStream, WithoutTransactionIdsTheReceiverWaitsUntilTheWriteHasLeft) {
    Model slow = model();
    slow.timing.expected.noc.write_rate = BytesPerCycle{4};

    EXPECT_NEAR(packet_time(kToWorker, slow, "Ethernet link stream no trid"), 30 + 20 + 25 + 5,
                kEnds * 80);
}

TEST(LinkStream, LargePacketsGoAtTheRateOfTheWire) {
    const double bytes = 4096 + 16 + 3 * 50;  // in three frames
    EXPECT_NEAR(predicted(kStream, "bytes_per_packet=4096", "GB/s"), 4096 / (bytes / 10),
                kEnds * 10);
}

TEST(LinkStream, OnePacketIsOnTheWireThereAndBack) {
    EXPECT_NEAR(predicted("Ethernet link sender latency", "bytes_per_packet=1000;packets=1", "ns"),
                2 * (400 + 1000 / 10.0), 0.001);
}

TEST(LinkStream, LatencyOfSeveralPacketsIsRefused) {
    EXPECT_THROW(
        (void)predicted("Ethernet link sender latency", "bytes_per_packet=16;packets=2", "ns"),
        NotExpressible);
}

}  // namespace
}  // namespace tessera::score
