// SPDX-License-Identifier: Apache-2.0
// Expected times: 24 cores at 12 banks whose ports answer one read per 40 cycles. A port answers 50
// reads of each of two cores in 4000 cycles. Everything else takes almost no time.
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

Model model() {
    ArchSpec arch = testing::make_arch(6, 4);
    arch.workers.noc_columns = {1, 2, 3, 4, 6, 7};
    arch.workers.noc_rows = {6, 7, 8, 9};
    for (DramEndpoint& endpoint : arch.dram.endpoints) {
        endpoint.physical = endpoint.physical1 = endpoint.noc;
    }
    TimingSpec timing = testing::fast_timing(arch);
    timing.dram.read_slot = Cycles{40};
    return testing::without_ranges(arch, timing);
}

double cycles(const char* workload, const char* parameters) {
    const Row row{.arch = "wormhole", .workload = workload, .metric = "latency", .unit = "cycles"};
    return predict_noc_table(row, Parameters(parameters), model()).expected;
}

TEST(DramTable, OfAllCoresEachBeginsAtTheBankOfItsNumberAndKeepsToIt) {
    EXPECT_NEAR(cycles("NoC all from all unicast",
                       "mem=DRAM_sharded;bytes_per_txn=64;num_txn_total=50;grid=6x4"),
                4000, 200);
}

TEST(DramTable, OfAllCoresEachTakesTheBanksInTurn) {
    EXPECT_NEAR(cycles("NoC all from all unicast",
                       "mem=DRAM_interleaved;bytes_per_txn=64;num_txn_total=50;grid=6x4"),
                4000, 400);
}

TEST(DramTable, OneCoreHasABankToItself) {
    EXPECT_NEAR(
        cycles("NoC one from one unicast", "mem=DRAM_sharded;bytes_per_txn=64;num_txn_total=50"),
        2000, 100);
}

}  // namespace
}  // namespace tessera::score
