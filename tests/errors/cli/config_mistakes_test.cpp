// SPDX-License-Identifier: Apache-2.0
// Configurations that `tessera run` and `tessera check` refuse before anything runs.
// tests/errors/config tests the rules themselves; this file tests that the binary reports them, and
// the exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

struct Case {
    const char* name;
    const char* set;
    const char* message;  ///< after "--set SET: "
};

/// Returns the ending of `tessera check`, which equals that of `tessera run`.
Ending ending_of(std::vector<std::string> arguments, const std::filesystem::path& folder = {}) {
    arguments.insert(arguments.begin(), "run");
    const Ending run = run_tessera(arguments, folder);
    arguments.front() = "check";
    Ending check = run_tessera(arguments, folder);
    EXPECT_EQ(check.exit_code, run.exit_code);
    EXPECT_EQ(check.err, run.err);
    return check;
}

class CliConfigMistakes : public testing::TestWithParam<Case> {};

TEST_P(CliConfigMistakes, AreRefusedWithExitCodeTwo) {
    const Ending ending = ending_of({"moe_v2_tiny", "--set", GetParam().set});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err,
              std::string("--set ") + GetParam().set + ": " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, CliConfigMistakes,
    testing::Values(Case{"UnknownKey", "set.moe_bmm.kblock=4",
                         "set.moe_bmm.kblock: unknown key, did you mean set.moe_bmm.k_block?"},
                    Case{"MissingUnit", "arch.l1.size=1048576",
                         "arch.l1.size: '1048576' has no unit, allowed: B, KiB, MiB or GiB"},
                    Case{"BuffersBeyondL1", "steps.gate.set.k_block=1024",
                         "steps.gate.set.k_block: 1024 with cb_depth 2 and subblock 1x4 takes "
                         "20990272 B of circular buffers; a core has 1395424 B of L1 for them"},
                    Case{"TooManyExpertsATokens", "params.top_k=9",
                         "params.top_k: 9 is out of range, allowed: 1 to experts (8)"},
                    Case{"UnknownDevice", "mesh.device=n150",
                         "mesh.device: 'n150' is unknown, did you mean wormhole_n150? Allowed: "
                         "blackhole_p150, wormhole_n150"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CliConfigMistakes, TokensAndExpertsThatTwoBatchesCannotHaveAreNamedByTheirParams) {
    const Ending ending = ending_of({"two_batches", "--set", "params.batches=two", "--set",
                                     "params.tokens=7", "--set", "params.experts=33"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err.substr(0, ending.err.find("\n/")),
              "--set params.tokens=7: params.tokens: 7, allowed: multiples of num_batches (2)\n"
              "--set params.experts=33: params.experts: 33, allowed: multiples of D (8)\n");
}

TEST(CliConfigMistakes, ACombineOfOtherExpertsThanItsDispatchIsNamed) {
    const Ending ending = ending_of({"dispatch_combine", "--set", "steps.combine.set.experts=256"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "--set steps.combine.set.experts=256: steps.combine.set.experts: is 256; allowed: "
              "128, as of the step dispatch that makes source; set both to the same value\n");
}

TEST(CliConfigMistakes, AParamThatFollowsFromOthersCannotBeSet) {
    const Ending ending = ending_of({"two_batches", "--set", "params.part=3"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "--set params.part=3: params.part: 3, allowed: no value, because it follows from "
              "params.tokens, params.batches; set one of them\n");
}

/// Returns a run in which an op reads counts of valid rows of two batches of 40 rows.
std::string run_with_counts(const std::string& step, const std::string& counts) {
    return "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
           "tensors:\n"
           "  x: {shape: [2, 40, 64], dtype: bfloat16, origin: {random: normal}}\n"
           "  w: {shape: [2, 64, 64], dtype: bfloat16, layout: tile, origin: {random: normal}}\n"
           "  n: {shape: [2], dtype: int32, origin: {index: \"" +
           counts +
           "\"}}\n"
           "steps:\n"
           "  - {name: s, " +
           step + "}\n";
}

TEST(CliConfigMistakes, CountsOfValidRowsOutOfRangeAreNamed) {
    const std::vector<std::array<std::string, 3>> ops{
        {"op: masked_mm, in: [x, w, n], out: [y]", "masked_mm", "expert_num_tokens"},
        {"op: activation, in: [x, n], out: [y], set: {function: silu}", "activation", "counts"},
        {"op: quantise, in: [x, n], out: [y, s]", "quantise", "counts"}};
    for (const auto& [step, op, operand] : ops) {
        for (const std::string count : {"41", "-1", "100000000"}) {
            const ScratchFolder folder;
            folder.write("run.yaml", run_with_counts(step, "select(i == 0, 40, " + count + ")"));

            const Ending ending = ending_of({"run.yaml"}, folder.path());

            EXPECT_EQ(ending.exit_code, 2);
            EXPECT_EQ(ending.err, "tessera: " + op + ": " + operand + "(1) is " + count +
                                      "; allowed: 0 to 40 (step s); correct the values of tensor "
                                      "n\n");
        }
    }
}

TEST(CliConfigMistakes, CountsThatAStepMakesAreNamedBeforeTheyAreRead) {
    const ScratchFolder folder;
    std::string text =
        run_with_counts("op: masked_mm, in: [x, w, m], out: [y]", "select(i == 0, 40, 100000000)");
    text.replace(text.find("n: {shape: [2]"), 14, "n: {shape: [2, 1]");
    text.replace(text.find("  - {name: s"), 0,
                 "  - {name: made, op: slice_rows, in: [n], out: [m], set: {rows: 2}}\n");
    folder.write("run.yaml", text);

    const Ending ending = run_tessera({"run", "run.yaml", "--timing-only"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, testing::HasSubstr(
                                "masked_mm: expert_num_tokens(1,0) is 100000000; allowed: 0 to 40 "
                                "(step s); correct the values of tensor m\n"));
}

/// Checks a file whose only tensor is `tensor`; returns the first line of the message.
std::string mistake_in(const std::string& tensor) {
    const ScratchFolder folder;
    folder.write("run.yaml",
                 "mesh: {device: wormhole_n150, shape: [1, 2]}\n"
                 "tensors:\n"
                 "  x: " +
                     tensor +
                     "\n"
                     "steps:\n"
                     "  - {name: s, op: copy, in: [x], out: [y]}\n");

    const Ending ending = ending_of({"run.yaml"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    return ending.err.substr(0, ending.err.find('\n'));
}

TEST(CliConfigMistakes, NameFileLineAndColumn) {
    EXPECT_EQ(mistake_in("{shpe: [4]}"), "run.yaml:3:6: tensors.x.shape: required key is missing");
}

TEST(CliConfigMistakes, NameTheTensorWhoseFileIsMissing) {
    EXPECT_EQ(
        mistake_in(
            "{shape: [32, 32], dtype: bfloat16, layout: tile, origin: {file: n.safetensors}}"),
        "run.yaml:3:3: tensors.x.origin.file: n.safetensors: cannot open: No such file or "
        "directory");
}

TEST(CliConfigMistakes, StepThatSendsOverMoreLinksThanTheMachineHasIsNamed) {
    const Ending ending =
        ending_of({"moe_v2_tiny", "--set", "arch.timing.link.links_per_direction=3"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, std::string(TESSERA_SOURCE_DIR) +
                              "/configs/runs/moe_v2.yaml:97:12: steps.all_reduce.set.links: 4 is "
                              "out of range, allowed: 1 to 3, which is "
                              "arch.timing.link.links_per_direction\n");
}

// 4 experts × 3 projections × 96 × 96 padded elements of 2 B; 12 banks of 16 KiB − 32 B each.
TEST(CliConfigMistakes, WeightsThatDoNotFitInDramAreCounted) {
    const Ending ending = ending_of({"moe_v2_tiny", "--set", "arch.dram.bank_size=16 KiB"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                testing::HasSubstr(
                    "configs/runs/moe_v2.yaml:47:3: tensors.down_weights: DRAM of device 0 (bytes "
                    "per bank): down_weights needs 6144 B, but the largest free range has 3136 B "
                    "(3008 B missing)"));
}

}  // namespace
}  // namespace tessera::test
