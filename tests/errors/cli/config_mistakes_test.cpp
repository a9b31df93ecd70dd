// SPDX-License-Identifier: Apache-2.0
// Configurations that `tessera run` refuses before anything runs. The rules themselves are tested
// in tests/errors/config; here: that the binary reports them, and with which exit code.
#include <gtest/gtest.h>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

struct Case {
    const char* name;
    const char* set;
    const char* message;  ///< behind "--set SET: "
};

class CliConfigMistakes : public testing::TestWithParam<Case> {};

TEST_P(CliConfigMistakes, AreRefusedWithExitCodeTwo) {
    const Ending ending = run_tessera({"run", "moe_v2_tiny", "--set", GetParam().set});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err,
              std::string("--set ") + GetParam().set + ": " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, CliConfigMistakes,
    testing::Values(Case{"UnknownKey", "ops.moe_bmm.kblock=4",
                         "ops.moe_bmm.kblock: unknown key, did you mean ops.moe_bmm.k_block?"},
                    Case{"MissingUnit", "arch.l1.size=1048576",
                         "arch.l1.size: '1048576' has no unit, allowed: B, KiB, MiB or GiB"},
                    Case{"BuffersBeyondL1", "ops.moe_bmm.k_block=1024",
                         "ops.moe_bmm.k_block: CBs for 1024 K tiles × cb_depth 2 × subblock "
                         "[1, 1] and their results take 8395072 B, "
                         "but a core has 1395424 B of L1 for buffers"},
                    Case{"TooManyExpertsATokens", "workload.top_k=9",
                         "workload.top_k: 9 experts a token, but workload.experts is 8"},
                    Case{"UnknownDevice", "mesh.device=n150",
                         "mesh.device: 'n150' is unknown, did you mean wormhole_n150? Known: "
                         "blackhole_p150, wormhole_n150"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CliConfigMistakes, NameFileLineAndColumn) {
    const ScratchFolder folder;
    const std::string file = folder.write("run.yaml",
                                          "mesh: {device: wormhole_n150, shape: [1, 2]}\n"
                                          "workload:\n"
                                          "  tokns: 4\n");

    const Ending ending = run_tessera({"run", "run.yaml"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err.substr(0, ending.err.find('\n')),
              "run.yaml:3:3: workload.tokns: unknown key, did you mean workload.tokens?");
}

TEST(CliConfigMistakes, MeshThatCannotHoldTheExpertsIsNamed) {
    const Ending ending = run_tessera({"check", "moe_v2_tiny", "--set", "mesh.shape=[1,3]"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, std::string(TESSERA_SOURCE_DIR) +
                              "/configs/runs/moe_v2_tiny.yaml:11:12: workload.experts: 8 experts "
                              "do not divide over the 3 devices of mesh.shape [1, 3]\n");
}

// 4 experts × 3 projections × 96 × 96 padded elements of 2 B; 12 banks of 16 KiB less 32 B each.
TEST(CliConfigMistakes, WeightsThatDoNotFitInDramAreCounted) {
    const Ending ending =
        run_tessera({"run", "moe_v2_tiny", "--set", "arch.dram.bank_size=16 KiB"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, std::string(TESSERA_SOURCE_DIR) +
                              "/configs/runs/moe_v2_tiny.yaml:11:12: workload.experts: 4 experts a "
                              "device take 221184 B of weights, but a wormhole_n150 has 196224 B "
                              "of DRAM\n");
}

}  // namespace
}  // namespace tessera::test
