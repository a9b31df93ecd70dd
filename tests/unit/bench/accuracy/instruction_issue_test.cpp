// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/instruction_issue.hpp"

#include <gtest/gtest.h>

namespace tessera::score {
namespace {

Model model() {
    const UnreplayedCosts costs{.issue_cycles = 1,
                                .scalar_unit_cycles = 3,
                                .configuration_read_cycles = 2,
                                .math_handover_cycles = 1};
    return {.arch = {}, .timing = {}, .costs = {costs, costs, costs}};
}

double cycles(const char* name, const char* parameters) {
    const Row row{.workload = std::string("Tensix instruction issue ") + name,
                  .metric = "cycles_per_instruction",
                  .unit = "cycles"};
    return predict_instruction_issue(row, Parameters(parameters), model()).expected;
}

TEST(InstructionIssue, ThreadsShareAUnit) {
    EXPECT_EQ(cycles("SFPMAD", "unit=SFPU;threads_issuing=1"), 1);
    EXPECT_EQ(cycles("SFPMAD", "unit=SFPU;threads_issuing=3"), 3);
    EXPECT_EQ(cycles("ADDDMAREG", "unit=THCON;threads_issuing=2"), 2 * 3);
    EXPECT_EQ(cycles("SETDMAREG", "unit=THCON;threads_issuing=2"), 2);
}

// Published for two and three threads: 1.96 and 1.95 cycles, the same as for one.
TEST(InstructionIssue, ReadsOfConfigurationDoNotWaitForOtherThreads) {
    EXPECT_EQ(cycles("RDCFG", "unit=CFG;threads_issuing=1"), 2);
    EXPECT_EQ(cycles("RDCFG", "unit=CFG;threads_issuing=2"), 2);
    EXPECT_EQ(cycles("RDCFG", "unit=CFG;threads_issuing=3"), 2);
}

TEST(InstructionIssue, WithoutAUnitThreadsDoNotMeet) {
    EXPECT_EQ(cycles("NOP", "unit=NONE;threads_issuing=3"), 1);
}

TEST(InstructionIssue, ThreadsHandTheMatrixUnitOver) {
    EXPECT_EQ(cycles("MVMUL", "unit=MATH;threads_issuing=1"), 1);
    EXPECT_EQ(cycles("MVMUL", "unit=MATH;threads_issuing=2"), 2 * (1 + 2));
    EXPECT_EQ(cycles("MVMUL", "unit=MATH;threads_issuing=3"), 3 * (1 + 3));
    EXPECT_EQ(cycles("ELWADD", "unit=MATH;threads_issuing=2"), 2 * (1 + 2));
}

// Published for two and three threads: 1.97 and 2.97 cycles.
TEST(InstructionIssue, CountersOfTheMatrixUnitAreNotHandedOver) {
    for (const char* name : {"SETRWC", "INCRWC"}) {
        EXPECT_EQ(cycles(name, "unit=MATH;threads_issuing=2"), 2) << name;
        EXPECT_EQ(cycles(name, "unit=MATH;threads_issuing=3"), 3) << name;
    }
}

TEST(InstructionIssue, OfMoreThreadsThanThereAreIsRefused) {
    EXPECT_THROW((void)cycles("MVMUL", "unit=MATH;threads_issuing=4"), NotExpressible);
}

}  // namespace
}  // namespace tessera::score
