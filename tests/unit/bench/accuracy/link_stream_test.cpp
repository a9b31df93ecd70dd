// SPDX-License-Identifier: Apache-2.0
// Expected rates: a packet of 100 B in the longest of what the link, its sender and its receiver
// take for it; on the wire it is 100 + 48 B and a frame's 50, at 10 B/ns.
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::score {
namespace {

Model model() {
    ArchSpec arch = testing::make_arch(4, 4);
    arch.workers.noc_columns = arch.workers.noc_rows = {1, 2, 3, 4};
    TimingSpec timing;
    timing.clock = arch.clock;
    timing.link = {.rate = BytesPerSecond{10e9},
                   .hop_latency = Seconds{500e-9},
                   .core_latency = Seconds{400e-9},
                   .core_send = Seconds{50e-9},
                   .core_receive = Seconds{30e-9},
                   .core_deliver = Seconds{70e-9},
                   .packet_overhead = Bytes{48},
                   .frame = Bytes{1500},
                   .frame_overhead = Bytes{50},
                   .max_payload = Bytes{4096},
                   .sender_slots = 8,
                   .receiver_slots = 16};
    for (BytesPerCycle* rate :
         {&timing.noc.read_rate, &timing.noc.write_rate, &timing.noc.link_rate,
          &timing.noc.injection_rate, &timing.noc.ejection_rate, &timing.noc.multicast_rate,
          &timing.dram.bank_read_rate, &timing.dram.bank_write_rate, &timing.dram.channel_rate,
          &timing.dispatch.stream_rate}) {
        *rate = BytesPerCycle{1000};
    }
    timing.noc.outstanding_reads = timing.noc.outstanding_writes = 64;
    timing.noc.queued_writes = 64;
    timing.noc.port_requests = 64;
    timing.dram.burst = Bytes{64};
    timing.dispatch.launch_messages = 8;
    timing.dispatch.config_ring = Bytes{1 << 16};
    return {.arch = arch, .timing = {timing, timing, timing}};
}

double predicted(const char* workload, const char* parameters, const char* unit) {
    const Row row{.arch = "wormhole", .workload = workload, .metric = "figure", .unit = unit};
    return predict_link_stream(row, Parameters(parameters), model()).expected;
}

constexpr const char* kStream = "Ethernet link stream";

TEST(LinkStream, GoesAtTheSendersPaceWhileTheLinkIsFaster) {
    EXPECT_NEAR(predicted(kStream, "bytes_per_packet=100;bidirectional=False", "GB/s"), 100.0 / 50,
                0.001);
}

TEST(LinkStream, BothWaysEachEndSendsAndReceives) {
    EXPECT_NEAR(predicted(kStream, "bytes_per_packet=100;bidirectional=True", "GB/s"),
                100.0 / (50 + 30), 0.001);
}

TEST(LinkStream, AReceiverThatWritesToAWorkerHoldsTheSenderUp) {
    EXPECT_NEAR(predicted(kStream, "bytes_per_packet=100;receiver_writes_worker=True", "GB/s"),
                100.0 / 70, 0.001);
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
