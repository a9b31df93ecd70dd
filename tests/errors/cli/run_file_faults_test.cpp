// SPDX-License-Identifier: Apache-2.0
// Run files of one step that are refused before anything runs, by `tessera run` and
// `tessera check` with the same text.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

struct Fault {
    const char* name;
    std::string from;  ///< text of the run file
    std::string to;
    std::string message;
};

/// A file that passes. The second step has no reference.
const std::string kRun = R"(mesh: {device: wormhole_n150, shape: [1, 1]}
params: {M: 64, N: 64}
tensors: {x: {shape: [M, N], dtype: bfloat16, layout: tile}}
steps:
  - {name: twice, op: scale, in: [x], out: [y], set: {factor: 2}}
)";

std::string with(const std::string& from, const std::string& to) {
    std::string text = kRun;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

class RunFileFaults : public testing::TestWithParam<Fault> {};

TEST_P(RunFileFaults, AreRefusedByRunAndCheck) {
    const ScratchFolder folder;
    folder.write("run.yaml", with(GetParam().from, GetParam().to));
    for (const char* command : {"run", "check"}) {
        const Ending ending = run_tessera({command, "run.yaml"}, folder.file(""));

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.err, GetParam().message + "\n");
    }
}

std::string tensor_with(const std::string& dtype, const std::string& origin) {
    return "dtype: " + dtype + ", layout: row_major, origin: {" + origin + "}}}";
}

INSTANTIATE_TEST_SUITE_P(
    Faults, RunFileFaults,
    testing::Values(
        Fault{"NoOutput", "out: [y]", "out: []",
              "run.yaml:5:44: steps.twice.out: is empty; allowed: one tensor or more"},
        Fault{"OutputWithoutName", "out: [y]", "out: {\"\": {}}",
              "run.yaml:5:44: steps.twice.out: has a tensor without a name"},
        Fault{"JoinOfItself", "layout: tile", "layout: tile, origin: {join: [x]}",
              "run.yaml:3:11: tensors.x: joins itself; allowed: other tensors"},
        Fault{"ParamOfItself", "M: 64", "M: M * 2",
              "run.yaml:2:13: params.M: 'M * 2': M is defined further down; a param may use those "
              "above it"},
        Fault{"ParamWithTheNameOfTheMesh", "M: 64", "D: 3, M: 64",
              "run.yaml:2:13: params.D: is a name of the machine, which expressions use; allowed: "
              "another name"},
        Fault{
            "ConstantBeyondTheFormat", "dtype: bfloat16, layout: tile}}",
            tensor_with("uint8", "constant: 300"),
            "run.yaml:3:11: tensors.x: origin: constant 300 in uint8; allowed: whole numbers from "
            "0 to 255"},
        Fault{
            "ConstantThatIsNotWhole", "dtype: bfloat16, layout: tile}}",
            tensor_with("int32", "constant: 1.5"),
            "run.yaml:3:11: tensors.x: origin: constant 1.5 in int32; allowed: whole numbers from "
            "-2147483648 to 2147483647"},
        Fault{
            "ConstantBeyondBfloat16", "layout: tile}}", "layout: tile, origin: {constant: 1e39}}}",
            "run.yaml:3:11: tensors.x: origin: constant 1e+39 in bfloat16; allowed: magnitudes up "
            "to 3.3895313892515355e+38"},
        Fault{"IndexBelowZero", "dtype: bfloat16, layout: tile}}",
              tensor_with("uint32", "index: i - 1"),
              "run.yaml:3:11: tensors.x: origin: index 'i - 1' is -1 for i = 0, which uint32 does "
              "not hold"},
        Fault{"IndexOfFloats", "layout: tile}}", "layout: tile, origin: {index: i}}}",
              "run.yaml:3:11: tensors.x: origin: an index in bfloat16; allowed: int32, uint32"},
        Fault{"MoreChoicesThanExperts", "dtype: bfloat16, layout: tile}}",
              tensor_with("int32", "random: routing, experts: 4"),
              "run.yaml:3:11: tensors.x: origin: each token selects 64 of 4 experts; allowed: 1 to "
              "4"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(RunFiles, AreNotReplacedByTheirResults) {
    const ScratchFolder folder;
    folder.write("run.yaml", kRun);
    for (const char* option : {"--trace", "--dprint"}) {  // --outputs refuses the ending .yaml
        const Ending ending = run_tessera({"run", "run.yaml", option, "run.yaml"}, folder.file(""));

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.err,
                  std::string("tessera: ") + option + " run.yaml is the file of the run file\n");
        EXPECT_EQ(bytes_of(folder.file("run.yaml")), kRun);
    }
}

TEST(TheFinalCheck, IsRefusedWhereReferencesDoNotStateTheResult) {
    for (const auto& [run, reason] :
         {std::pair{"gqa", "q_rope changes a part of q_heads"},
          std::pair{"modular_none",
                    "moe.gate_up leaves rows open, which only the device states"}}) {
        const Ending ending = run_tessera({"check", run, "--set", "verify.level=final_only"});

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.err, std::string("tessera: verify.level is final_only, but step ") +
                                  reason + "; allowed for this run: every_step or off\n");
    }
    EXPECT_EQ(run_tessera({"check", "moe_v2_tiny", "--set", "verify.level=final_only"}).exit_code,
              0);
}

}  // namespace
}  // namespace tessera::test
