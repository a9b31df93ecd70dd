// SPDX-License-Identifier: Apache-2.0
// tessera sweep: refusals and their messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::EndsWith;

struct Case {
    const char* name;
    std::vector<std::string> arguments;
    const char* message;
};

/// Cases that `check` knows too: not those about the kind of file and the form of the output.
class CliSweepMistakes : public testing::TestWithParam<Case> {};

TEST_P(CliSweepMistakes, AreRefusedBySweepAndCheck) {
    std::vector<std::string> arguments = GetParam().arguments;
    for (const char* command : {"sweep", "check"}) {
        arguments.front() = command;
        const Ending ending = run_tessera(arguments);

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.out, "");
        EXPECT_THAT(ending.err, EndsWith(std::string(GetParam().message) + "\n"));
    }
}

class CliSweepErrors : public testing::TestWithParam<Case> {};

TEST_P(CliSweepErrors, NameWhatIsWrong) {
    const Ending ending = run_tessera(GetParam().arguments);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_THAT(ending.err, EndsWith(std::string(GetParam().message) + "\n"));
}

TEST(CliMissingSweep, ThatIsARunNamesTheCommandOfRuns) {
    EXPECT_EQ(run_tessera({"sweep", "moe_v2_tiny"}).err,
              "tessera: moe_v2_tiny: is one run, without `sweep:`; use tessera run moe_v2_tiny\n");
}

TEST(CliMissingSweep, IsAnsweredWithTheNearest) {
    EXPECT_EQ(run_tessera({"sweep", "bmm_core"}).err,
              "tessera: bmm_core: no such file or shipped configuration; nearest: bmm_cores; "
              "tessera list configs shows all " +
                  num_shipped({"sweeps"}) + " sweeps\n");
}

INSTANTIATE_TEST_SUITE_P(
    Options, CliSweepErrors,
    testing::Values(
        Case{"TwoForms",
             {"sweep", "k_block", "--csv", "--quiet"},
             "tessera: --csv and --quiet exclude each other"},
        Case{"OneRun",
             {"sweep", std::string(TESSERA_SOURCE_DIR) + "/configs/runs/moe_v2_tiny.yaml"},
             "moe_v2_tiny.yaml:3:1: sweep: required key is missing: this file is one run"},
        Case{"RunOfASweep",
             {"run", std::string(TESSERA_SOURCE_DIR) + "/configs/sweeps/bmm_cores.yaml"},
             "sweep: this file describes many runs; use tessera sweep"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Options, CliSweepMistakes,
    testing::Values(
        Case{"SetOfASweptKey",
             {"sweep", "k_block", "--set", "set.moe_bmm.k_block=2"},
             "set.moe_bmm.k_block: is also set by --set set.moe_bmm.k_block=2; remove one of them"},
        Case{"OutIsAFile",
             {"sweep", "k_block", "--out", "/dev/null"},
             "tessera: --out /dev/null: is a file, allowed: a folder"},
        Case{"OutWithoutName",
             {"sweep", "k_block", "--out", ""},
             "tessera: --out: the name is empty"},
        Case{"UnknownStepToRankBy",
             {"sweep", "k_block", "--set", "sweep.rank_by=nonsense"},
             "sweep.rank_by: unknown step nonsense, allowed: run, prepare_routing, scatter, "
             "to_tile, "
             "gate, up, silu, mul, down, to_row_major, local_reduce, all_reduce"},
        Case{"NoThreads",
             {"sweep", "k_block", "--threads", "0"},
             "tessera: --threads 0: allowed: 1 to 1024; without it, one for each core of the "
             "host"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tessera::test
