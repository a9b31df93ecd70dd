// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

Model model_with(std::uint32_t router_processors) {
    ArchSpec arch = testing::make_arch(4, 4);
    arch.workers.noc_columns = arch.workers.noc_rows = {1, 2, 3, 4};
    TimingSpec timing = testing::fast_timing(arch);
    timing.link = {.rate = BytesPerSecond{1e12},
                   .packet_slot = Seconds{100e-9},
                   .deliver_slot = Seconds{200e-9},
                   .packet_overhead = Bytes{48},
                   .frame = Bytes{1500},
                   .max_payload = Bytes{4096},
                   .links_per_direction = 4,
                   .sender_slots = 8,
                   .receiver_slots = 16,
                   .router_processors = router_processors};
    return testing::without_ranges(arch, timing);
}

/// Returns the rate in B/cycle of two devices that send 16 B to each other.
double both_ways(const std::string& message, std::uint32_t router_processors) {
    const Row row{
        .workload = "fabric stream unicast_Linear", .metric = "bandwidth", .unit = "B/cycle"};
    const Parameters parameters("machine=2 chips;message=" + message +
                                ";bytes_per_packet=16;line_size=2;links=1;"
                                "interior_workers_disabled=False;unidirectional=False;"
                                "senders_unidirectional=True");
    return predict_fabric_edm(row, parameters, model_with(router_processors)).expected;
}

// At 1 GHz, a router sends for 100 cycles and receives for 200 cycles in turn.
TEST(FabricStream, RoutersOfTheTableRunOnOneProcessor) {
    for (const std::uint32_t processors : {1U, 2U}) {
        EXPECT_NEAR(both_ways("noc_unicast_write", processors), 16.0 / 300, 0.001);
    }
}

// The measured kernel sends two packets per counted packet.
TEST(FabricStream, CountsAnAdditionAloneOnceInTwoPackets) {
    EXPECT_NEAR(both_ways("noc_unicast_no_flush_atomic_inc", 1), 16.0 / 600, 0.0005);
}

}  // namespace
}  // namespace tessera::score
