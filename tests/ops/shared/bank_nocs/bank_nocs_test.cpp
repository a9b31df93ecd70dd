// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/bank_nocs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "emu/base/noc_route.hpp"
#include "tests/ops/two_bank_arch.hpp"

namespace tessera::ops {
namespace {

using testing::arch_with_two_banks_in_a_row;
using testing::make_arch;

/// A row of the NoC: `banks` banks at 0, and cores at 1, 2 and 3.
ArchSpec row_of_three(std::uint32_t banks) {
    ArchSpec arch = make_arch(3, 1);
    arch.noc.grid = {4, 1};
    arch.workers.noc_columns = {1, 2, 3};
    arch.workers.noc_rows = {0};
    arch.dram.num_banks = banks;
    arch.dram.endpoints.resize(banks);
    return arch;
}

TEST(BanksOverNoc1, AreNoneIfNoLinkCarriesTheDataOfTwoBanks) {
    EXPECT_THAT(banks_over_noc1(row_of_three(1)), ::testing::Each(0));
    EXPECT_THAT(banks_over_noc1(row_of_three(2)), ::testing::Contains(::testing::Ne(0)));
}

/// Returns the most flows on a link, if every core reads every bank once.
int fullest_link(const ArchSpec& arch, const std::vector<std::uint32_t>& over_noc1) {
    std::map<std::tuple<std::uint32_t, NocAxis, std::uint32_t, std::uint32_t>, int> loads;
    const GridSize cores = arch.workers.compute;
    for (std::uint32_t i = 0; i < cores.columns * cores.rows * arch.dram.num_banks; ++i) {
        const std::uint32_t core = i / arch.dram.num_banks;
        const std::uint32_t bank = i % arch.dram.num_banks;
        const CoreCoord to{core % cores.columns, core / cores.columns};
        const std::uint32_t noc = over_noc1[core] >> bank & 1U;
        NocRoute(arch.noc.grid, noc)
            .walk(arch.dram.endpoints[bank].physical, to, [&](CoreCoord at, NocAxis along) {
                loads[{noc, along, at.x, at.y}] += 1;
            });
    }
    return std::ranges::max_element(loads, {}, [](const auto& load) { return load.second; })
        ->second;
}

TEST(BanksOverNoc1, LeaveTheFullestLinkAtMostThreeFifthsOfItsReads) {
    const ArchSpec arch = arch_with_two_banks_in_a_row();

    const int with_both = fullest_link(arch, banks_over_noc1(arch));

    EXPECT_LE(5 * with_both, 3 * fullest_link(arch, std::vector<std::uint32_t>(64)));
}

TEST(BanksOverNoc1, AreNoneWithMoreBanksThanAMaskHas) {
    EXPECT_THAT(banks_over_noc1(row_of_three(33)), ::testing::Each(0));
}

}  // namespace
}  // namespace tessera::ops
