// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tessera/page_address.hpp"

namespace tessera {
namespace {

// Uses libstdc++'s engine and shuffle, which define the order.
std::vector<CoreCoord> order_by_standard_library(GridSize grid) {
    std::vector<std::uint32_t> bank_of_core(grid.columns * grid.rows);
    std::iota(bank_of_core.begin(), bank_of_core.end(), 0U);
    std::shuffle(bank_of_core.begin(), bank_of_core.end(), std::default_random_engine(0));
    std::vector<CoreCoord> cores(bank_of_core.size());
    for (std::uint32_t i = 0; i < bank_of_core.size(); ++i) {
        cores[bank_of_core[i]] = {i % grid.columns, i / grid.columns};
    }
    return cores;
}

class L1BankOrder : public testing::TestWithParam<GridSize> {};

TEST_P(L1BankOrder, IsTheStandardLibrarysShuffleOfSeedZero) {
    EXPECT_EQ(l1_bank_order(GetParam()), order_by_standard_library(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Grids, L1BankOrder,
                         testing::Values(GridSize{8, 8}, GridSize{13, 10}, GridSize{8, 9},
                                         GridSize{1, 1}, GridSize{2, 1}, GridSize{3, 1}),
                         [](const auto& test) {
                             return std::to_string(test.param.columns) + "x" +
                                    std::to_string(test.param.rows);
                         });

TEST(L1BankOrder, OfNoCoresIsEmpty) {
    EXPECT_TRUE(l1_bank_order({0, 0}).empty());
}

TEST(BankLayout, TakesDramBanksAndComputeGridOfTheDevice) {
    ArchSpec arch;
    arch.dram.num_banks = 12;
    arch.workers.compute = {8, 8};

    const BankLayout banks = make_bank_layout(arch);

    EXPECT_EQ(banks.num_dram_banks, 12U);
    EXPECT_EQ(banks.l1_banks.size(), 64U);
}

}  // namespace
}  // namespace tessera
