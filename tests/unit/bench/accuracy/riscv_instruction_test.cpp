// SPDX-License-Identifier: Apache-2.0
// Expected cycles: rounds of 64 (divisions: 16) instructions and two of their loop, with the
// figures of tt-isa-documentation, TensixTile/BabyRISCV/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

double predicted(const char* workload, Cycles product = Cycles{1}) {
    const ArchSpec arch = testing::make_arch(4, 4);
    TimingSpec timing = testing::fast_timing(arch);
    timing.risc.instruction = Cycles{1};
    timing.risc.load = Cycles{8};
    timing.risc.store = Cycles{5};
    timing.risc.product = product;
    timing.risc.dividend_bit = Cycles{1.15};
    const Row row{.workload = workload, .metric = "cycles_per_instruction", .unit = "cycles"};
    return predict_riscv_instruction(row, Parameters(""), testing::without_ranges(arch, timing))
        .expected;
}

TEST(RiscvInstruction, LoadsThatUseEachOtherTakeEightCyclesAndOthersSevenForFour) {
    EXPECT_NEAR(predicted("baby RISC-V instruction class load_dep"), 64.0 * 8 / 66, 0.1);
    EXPECT_NEAR(predicted("baby RISC-V instruction class load_ind"), 16.0 * 7 / 66, 0.1);
}

TEST(RiscvInstruction, StoresTakeFiveCyclesAndBranchesOne) {
    EXPECT_NEAR(predicted("baby RISC-V instruction class store_spread"), 64.0 * 5 / 66, 0.1);
    EXPECT_NEAR(predicted("baby RISC-V instruction class branch_t"), 1, 0.02);
    EXPECT_NEAR(predicted("baby RISC-V instruction class branch_nt"), 1, 0.02);
}

TEST(RiscvInstruction, ProductsTakeTwoCyclesWhereSomethingWaits) {
    EXPECT_NEAR(predicted("baby RISC-V instruction class mul_dep"), 130.0 / 66, 0.05);
    EXPECT_NEAR(predicted("baby RISC-V instruction class mul_ind"), 1, 0.05);
    EXPECT_NEAR(predicted("baby RISC-V instruction class mul_ind", Cycles{2}), 130.0 / 66, 0.05);
}

TEST(RiscvInstruction, DivisionsGoByTheBitsOfTheirDividend) {
    EXPECT_NEAR(predicted("baby RISC-V instruction class div_small"), (16 * 13.8 + 2) / 18, 0.1);
    EXPECT_NEAR(predicted("baby RISC-V instruction class div_large"), (16 * 33.35 + 2) / 18, 0.1);
}

TEST(RiscvInstruction, OfNoKernelIsRefused) {
    EXPECT_THAT([] { (void)predicted("baby RISC-V instruction class vector_add"); },
                ::testing::ThrowsMessage<NotExpressible>(
                    "instructions vector_add: no kernel here issues them"));
}

}  // namespace
}  // namespace tessera::score
