// SPDX-License-Identifier: Apache-2.0
// The shipped device models, against the vendor's documents on the boards.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
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
    // Column 5 is DRAM, row 6 Ethernet, and row 5 is harvested: logical (4,4) is physical (6,7).
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

/// Names of rows for the integer functions of the kernel API.
constexpr std::array kIntegerFunctions{
#define SFPU_INTEGER_ARITHMETIC(name, Op) #name "_int32", #name "_uint16",
#define SFPU_INTEGER_BINARY(call, Op) #call,
#define SFPU_INTEGER_SCALAR(call, Op, shape) #call,
#include "tessera/kernel/compute/sfpu_table.inc"
    "bitwise_not_tile", "fill_tile_int"};

class IntegerFunctions : public ::testing::TestWithParam<const char*> {};

TEST_P(IntegerFunctions, HaveAPriceEachAndAProductCostsMoreThanASum) {
    const SfpuTiming sfpu = load_arch(std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" /
                                      "arch" / (std::string(GetParam()) + ".yaml"))
                                .timing.expected.sfpu;
    const std::map<std::string, Cycles> prices(sfpu.functions.begin(), sfpu.functions.end());

    for (std::string name : kIntegerFunctions) {
        if (const std::size_t at = name.find("_tile"); at != std::string::npos) {
            name.erase(at, 5);
        }
        EXPECT_TRUE(prices.contains(name)) << name;
    }
    EXPECT_GT(prices.at("mul_int32").value, 1.4 * prices.at("add_int32").value);
    EXPECT_GT(prices.at("mul_uint16").value, 1.4 * prices.at("add_uint16").value);
}

INSTANTIATE_TEST_SUITE_P(Chips, IntegerFunctions,
                         ::testing::Values("wormhole_n150", "blackhole_p150"));

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
    // Columns 8 and 9 have no workers: logical (7,0) is physical (10,2).
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
