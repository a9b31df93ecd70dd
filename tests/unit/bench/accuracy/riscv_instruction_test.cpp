// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::score {
namespace {

Prediction predicted(const char* workload) {
    TimingSpec timing;
    timing.risc.instruction = Cycles{1};
    timing.risc.load = Cycles{8};
    timing.risc.store = Cycles{5};
    timing.risc.division = Cycles{20};
    TimingSpec low = timing;
    low.risc.load = Cycles{2};
    const Row row{.workload = workload, .metric = "cycles_per_instruction", .unit = "cycles"};
    const Model model{.arch = testing::make_arch(4, 4), .timing = {low, timing, timing}};
    return predict_riscv_instruction(row, Parameters(""), model);
}

TEST(RiscvInstruction, CostsWhatItsClassCosts) {
    EXPECT_EQ(predicted("baby RISC-V instruction class mul_dep").expected, 1);
    EXPECT_EQ(predicted("baby RISC-V instruction class branch_t").expected, 1);
    EXPECT_EQ(predicted("baby RISC-V instruction class store_spread").expected, 5);
    EXPECT_EQ(predicted("baby RISC-V instruction class div_small").expected, 20);
}

TEST(RiscvInstruction, HasTheRangeOfItsClass) {
    const Prediction load = predicted("baby RISC-V instruction class load_ind");

    EXPECT_EQ(load.low, 2);
    EXPECT_EQ(load.expected, 8);
    EXPECT_EQ(load.high, 8);
}

TEST(RiscvInstruction, OfNoClassIsRefused) {
    EXPECT_THAT(
        [] { (void)predicted("baby RISC-V instruction class vector_add"); },
        ::testing::ThrowsMessage<NotExpressible>("instructions vector_add: no class has them"));
}

}  // namespace
}  // namespace tessera::score
