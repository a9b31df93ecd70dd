// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/timing_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tessera/timing_spec.hpp"
#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

TEST(TimingText, SaysHowLongWhatBoundsAndWhereItWaits) {
    EXPECT_EQ(timing_text(small_report(), {}),
              R"(  makespan  1 050 cycles, 1.05 us at 1.00 GHz; 1 000 to 1 200 in nine of ten draws
  compute   4 % of 8.19 TFLOP/s: 312 GFLOP/s; FPU utilisation 8 % (active cores)
  DRAM      18 % of 32.0 GB/s: 5.85 GB/s
  NoC       5 % of 128 GB/s: 5.85 GB/s injected; busiest link 24 %
  bound by  DRAM 38 %, matmul 19 %, NoC latency 10 %, not started 10 %

  step  cycles       interval  share  cores  math  FPU  DRAM  imbalance, longest  bound by
  gate   1 000  1 000 … 1 000   95 %      2  10 %  8 %  19 %  1.00 (0,0)          DRAM 40 %, matmul 20 %

  math utilisation, % of the makespan
        x0  x1
  y0    19   .

  worst stalls
  1. gate: reader at reader.cpp:20, wait for NoC read: DRAM
     500 cycles in 1 wait, 100 % direct, 80 % of it on DRAM
     longest 500 cycles (50 %) on (0,0): DRAM bank 1
  2. gate: math at compute.cpp:20, wait for source registers
     700 cycles in 1 wait, 14 % direct
     longest 700 cycles (70 %) on (0,0); ended by (0,0) unpack at compute.cpp:20
  3. gate: unpack at compute.cpp:10, wait for CB data: CB 0
     600 cycles in 1 wait, 17 % direct
     longest 600 cycles (60 %) on (0,0): CB 0; ended by (0,0) reader at reader.cpp:20
  4. gate: writer at writer.cpp:10, wait for semaphore: L1 address 0x8130
     800 cycles in 1 wait, 0 % direct
     longest 800 cycles (80 %) on (1,0): L1 address 0x8130; ended by (0,0) math at compute.cpp:20
)");
}

TEST(TimingText, StepsHaveTheCyclesOfTheirLongestDevice) {
    TimingReport report = small_report();
    report.launches[0].device_time = {600 * kCycle, 640 * kCycle, 720 * kCycle};

    EXPECT_THAT(launches_text(report, {}), testing::HasSubstr("gate     640  600 … 720   95 %"));
}

TEST(TimingText, NamesTheAssumedConstantsThatCarryMost) {
    TimingReport report = small_report();
    report.assumed = {
        {"DRAM", 420 * kCycle, {"arch.timing.dram.burst"}},
        {"CB calls", 105 * kCycle, {"arch.timing.risc.cb_push", "arch.timing.risc.cb_pop"}}};

    EXPECT_THAT(bound_text(report, {}),
                testing::EndsWith("  assumed   dram.burst, risc.cb_push, risc.cb_pop; see tessera "
                                  "advise\n"));

    report.assumed[0].constants.emplace_back("arch.timing.dram.read_latency");
    EXPECT_THAT(bound_text(report, {}), testing::HasSubstr("risc.cb_push and 1 more; see tessera"));
}

// 21 tokens in 1 050 cycles of a nanosecond.
TEST(TimingText, SumsUpTheStagesOfTheRun) {
    TimingReport report = small_report();
    EXPECT_EQ(stages_text(report, {}), "");
    report.launches[0].work.link_bytes = 3072;
    report.stages = RunStages{.tokens = 21,
                              .stages = {{"first", {"gate"}}, {"second", {}}},
                              .memory = {{"weights", 2048}, {"caches", 512}}};

    EXPECT_EQ(stages_text(report, {}),
              "  21 tokens: 20.0 M a second\n"
              "  memory of each device: weights 2.00 KiB, caches 512 B\n"
              "  stage   cycles  share  on links  launches\n"
              "  first    1 000   95 %  3.00 KiB         1\n"
              "  second       0    0 %       0 B         0\n"
              "\n"
              "  collective  on links  cycles\n"
              "  gate        3.00 KiB   1 000\n");
}

TEST(TimingText, FitsANarrowTerminal) {
    const std::string text = launches_text(small_report(), {.width = 40});

    EXPECT_EQ(text,
              "  step  cycles  bound by\n"
              "  gate   1 000  DRAM 40 %, matmul 20 %\n");
}

TEST(TimingText, AddsStallsUpOverStepsThatShareAKernel) {
    TimingReport report = small_report();
    report.launches.push_back(report.launches[0]);
    report.launches[1].name = "up";
    report.launches[1].stalls[0].worst_end += 10 * kCycle;

    const std::string text = stalls_text(report, {});

    EXPECT_THAT(
        text, testing::HasSubstr("  1. gate, up: reader at reader.cpp:20, wait for NoC read: DRAM\n"
                                 "     1 000 cycles in 2 waits, 100 % direct, 80 % of it on DRAM\n"
                                 "     longest 510 cycles (51 %)"));
}

TEST(TimingText, ComparesTokensWithTheTimeOfExperts) {
    TimingReport report = small_report();
    report.moe = ExpertLoad{.experts = {{0, 0, 3}, {1, 0, 0}}, .launches = {"gate"}};

    EXPECT_EQ(moe_text(report, {}),
              "  tokens of 2 experts: mean 1.5, most 3, 2.00 times the mean\n"
              "  step of experts  cores given  their math busy  tiles: min, median, max"
              "  longest / mean core  straggler\n"
              "  gate                       2             10 %                  0, 1, 2"
              "                 1.00  device 0 (0,0)\n");
}

TEST(TimingText, ClipsStallsToTheWidthOfATerminal) {
    std::istringstream text(stalls_text(small_report(), {.width = 40}));

    for (std::string line; std::getline(text, line);) {
        EXPECT_LE(columns_of(line), 40U) << line;
    }
}

TEST(TimingText, HasNoStallsWhereNothingWaits) {
    TimingReport report = small_report();
    report.launches[0].stalls.clear();

    EXPECT_EQ(stalls_text(report, {}), "");
}

}  // namespace
}  // namespace tessera::report
