// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/run_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runtime/report/small_record.hpp"

namespace tessera::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RunTitle, SaysWhatRanOnWhat) {
    EXPECT_EQ(title_text(small_record(), {}),
              "small: tokens 40, hidden 80\n"
              "1 × 2 devices tiny_arch, 2 × 1 cores each; 2 host threads\n");
}

TEST(RunTitle, NamesTheInputFile) {
    RunRecord record = small_record();
    record.inputs = "in.safetensors";

    EXPECT_THAT(title_text(record, {}), HasSubstr("hidden 80 from in.safetensors\n"));
}

TEST(RunSteps, HaveARowEach) {
    EXPECT_EQ(steps_text(small_record(), {}),
              "  step     op                 schedule     cores  tiles  PCC  rel. error     host"
              "  check\n"
              "  scatter  scatter_moe_input  multi_core       4     24    1           0  12.5 ms"
              "  ok\n"
              "  gate     moe_bmm            single_core      2  123 k    –           –   2.50 s"
              "  not checked\n");
}

TEST(RunSteps, RoundCyclesToWholeOnesAndGroupThem) {
    RunRecord record = small_record();
    record.makespan = PredictedTime{4'898'635, 4'898'635, 4'898'635};
    record.steps[0].device_time = record.makespan;

    EXPECT_THAT(steps_text(record, {}), HasSubstr("  4 899  "));
}

TEST(RunSteps, KeepNameAndCheckOnANarrowTerminal) {
    EXPECT_EQ(steps_text(small_record(), {.width = 24}),
              "  step     check\n"
              "  scatter  ok\n"
              "  gate     not checked\n");
}

TEST(RunCores, ShowLeastMiddleAndMost) {
    const std::string text = cores_text(small_record(), {});

    EXPECT_THAT(text, HasSubstr("  per core, whole run        min  median       max  all cores\n"
                                "  tiles computed               0      15        40         70\n"));
    EXPECT_THAT(text, HasSubstr("  bytes read                 0 B   256 B  1.00 MiB   1.00 MiB\n"));
    EXPECT_THAT(text, HasSubstr("  share of the busiest core  0 %    38 %     100 %\n"));
}

TEST(RunCores, AreShownByDeviceAndAsMaps) {
    const std::string text = cores_text(small_record(), {});

    EXPECT_THAT(text, HasSubstr("  share by device   min  median    max\n"
                                "  device 0         25 %    62 %  100 %\n"
                                "  device 1          0 %    25 %   50 %\n"));
    EXPECT_THAT(text, HasSubstr("  device 0        device 1\n"
                                "        x0  x1          x0  x1\n"
                                "  y0   100  25    y0    50   .\n"));
}

TEST(RunVerdict, PassesWithTheWorstFigures) {
    RunRecord record = small_record();
    record.steps[1].check = StepCheck{.pcc = 0.99995, .max_relative_error = 0.004};

    EXPECT_EQ(verdict_text(record, {}),
              "PASS 2 of 2 steps checked, PCC ≥ 0.999950, relative error ≤ 4.0e-03, 3.50 s\n");
}

TEST(RunVerdict, SaysWhatFailed) {
    EXPECT_EQ(verdict_text(failing_record(), {}),
              "  gate: PCC 0.25, allowed: 0.9999 or more\n"
              "FAIL 1 of 2 steps checked: gate\n");
}

TEST(RunVerdict, DoesNotPassWhatWasNotChecked) {
    RunRecord record = small_record();
    record.steps[0].check.reset();

    EXPECT_EQ(
        verdict_text(record, {}),
        "DONE 2 steps in 3.50 s, none checked (verify.level is off, or no step has a reference)\n");
}

TEST(RunText, EndsWithTheVerdict) {
    const std::string text = to_text(failing_record(), {});

    EXPECT_TRUE(text.ends_with("\nFAIL 1 of 2 steps checked: gate\n"));
    EXPECT_THAT(text, Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace tessera::report
