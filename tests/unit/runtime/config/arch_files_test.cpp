// SPDX-License-Identifier: Apache-2.0
// The shipped device models, against what the vendor's documents say of the boards.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <utility>

#include "runtime/config/load.hpp"

namespace tessera::config {
namespace {

ArchSpec shipped(const std::string& name) {
    return load_arch(std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "arch" /
                     (name + ".yaml"))
        .arch;
}

TEST(WormholeN150, HasTheMemoriesOfTheBoard) {
    const ArchSpec arch = shipped("wormhole_n150");

    EXPECT_EQ(arch.l1.size, Bytes{1499136});
    EXPECT_EQ(arch.l1.size - arch.l1.reserved, Bytes{1395424});
    EXPECT_EQ(arch.dram.num_banks, 12U);
    EXPECT_EQ(arch.dram.bank_size, Bytes{1073741824});
    EXPECT_EQ(arch.dram.read_alignment, Bytes{32});
    EXPECT_EQ(arch.dram.write_alignment, Bytes{16});
    EXPECT_EQ(arch.l1.num_circular_buffers, 32U);
}

TEST(WormholeN150, HasTheWorkersOfTheBoard) {
    const ArchSpec arch = shipped("wormhole_n150");

    EXPECT_EQ(arch.workers.compute, (GridSize{8, 8}));
    EXPECT_EQ(arch.workers.virtual_origin, (CoreCoord{18, 18}));
    // Column 5 holds DRAM, row 6 Ethernet, and row 5 is harvested: logical (4,4) is physical (6,7).
    EXPECT_EQ(arch.workers.noc_columns.at(4), 6U);
    EXPECT_EQ(arch.workers.noc_rows.at(4), 7U);
    EXPECT_EQ(arch.noc.grid, (GridSize{10, 12}));
}

// Two banks of 1 GiB share each of six controllers.
TEST(WormholeN150, ReachesTwoBanksThroughEachChannel) {
    const ArchSpec arch = shipped("wormhole_n150");

    EXPECT_EQ(arch.dram.endpoints.at(0).noc, (CoreCoord{0, 11}));
    EXPECT_EQ(arch.dram.endpoints.at(0).bank_offset, Bytes{0});
    EXPECT_EQ(arch.dram.endpoints.at(1).noc, (CoreCoord{0, 1}));
    EXPECT_EQ(arch.dram.endpoints.at(1).bank_offset, Bytes{1073741824});
    EXPECT_EQ(arch.dram.endpoints.at(8).noc, (CoreCoord{5, 8}));
    EXPECT_EQ(arch.dram.endpoints.at(11).noc, (CoreCoord{5, 7}));
    for (std::uint32_t bank = 0; bank < 12; ++bank) {
        EXPECT_EQ(arch.dram.endpoints.at(bank).channel, bank / 2) << "bank " << bank;
    }
}

TEST(BlackholeP150, HasTheMemoriesOfTheBoard) {
    const ArchSpec arch = shipped("blackhole_p150");

    EXPECT_EQ(arch.clock, Hertz{1.35e9});
    EXPECT_EQ(arch.l1.size, Bytes{1572864});
    EXPECT_EQ(arch.l1.size - arch.l1.reserved, Bytes{1461760});
    EXPECT_EQ(arch.dram.num_banks, 8U);
    EXPECT_EQ(arch.dram.bank_size, Bytes{4278190080});
    EXPECT_EQ(arch.dram.read_alignment, Bytes{64});
    EXPECT_EQ(arch.l1.num_circular_buffers, 64U);
}

TEST(BlackholeP150, HasTheWorkersOfTheBoard) {
    const ArchSpec arch = shipped("blackhole_p150");

    EXPECT_EQ(arch.workers.compute, (GridSize{13, 10}));
    EXPECT_EQ(arch.workers.virtual_origin, (CoreCoord{1, 2}));
    // Columns 8 and 9 hold no workers: logical (7,0) is physical (10,2).
    EXPECT_EQ(arch.workers.noc_columns.at(7), 10U);
    EXPECT_EQ(arch.workers.noc_rows.at(0), 2U);
    EXPECT_EQ(arch.noc.grid, (GridSize{17, 12}));
}

TEST(BlackholeP150, ReachesEachBankThroughAPortPerNoc) {
    const ArchSpec arch = shipped("blackhole_p150");

    std::set<std::pair<std::uint32_t, std::uint32_t>> ports;
    for (const DramEndpoint& endpoint : arch.dram.endpoints) {
        ports.insert({endpoint.physical.x, endpoint.physical.y});
        ports.insert({endpoint.physical1.x, endpoint.physical1.y});
    }
    EXPECT_EQ(ports.size(), 16U);
    EXPECT_EQ(arch.dram.endpoints.at(4).physical, (CoreCoord{9, 11}));
    EXPECT_EQ(arch.dram.endpoints.at(4).noc, (CoreCoord{18, 14}));
}

}  // namespace
}  // namespace tessera::config
