// SPDX-License-Identifier: Apache-2.0
// `tessera run` on the shipped configurations of single ops, and on variants of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

Ending run_config(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run", name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tessera(arguments);
}

class CliRunOp : public ::testing::TestWithParam<const char*> {};

TEST_P(CliRunOp, EndsWithPassOnOneDeviceAndOnTwoOfTheOtherModel) {
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{},
          std::vector<std::string>{"--set", "mesh.device=blackhole_p150", "--set",
                                   "mesh.shape=[1, 2]"}}) {
        std::vector<std::string> arguments{"--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());

        const Ending ending = run_config(GetParam(), arguments);

        EXPECT_EQ(ending.err, "");
        EXPECT_EQ(ending.exit_code, 0);
        EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked, "));
    }
}

INSTANTIATE_TEST_SUITE_P(Configs, CliRunOp,
                         ::testing::Values("copy", "exp", "matmul_640", "reshard", "vector_add"),
                         [](const auto& test) { return std::string(test.param); });

TEST(CliRunOp, ShowsTheWorkloadAndTheStep) {
    const std::string out = run_config("vector_add", {"--full"}).out;

    EXPECT_THAT(
        out,
        StartsWith(
            "vector_add: rows 640, columns 1024\n1 × 1 devices wormhole_n150, 8 × 8 cores each; "));
    EXPECT_THAT(out, ContainsRegex("\n  eltwise +eltwise +multi_core +64 +640 +"));
    EXPECT_THAT(out, ContainsRegex("\n  tiles computed +10 +10 +10 +640\n"));
}

// Each of three devices reads two inputs of 640 tiles and writes 640 tiles.
TEST(CliRunOp, RunsOnEveryDeviceOfAMesh) {
    const auto json = nlohmann::json::parse(
        run_config("vector_add", {"--set", "mesh.shape=[1, 3]", "--json"}).out);

    EXPECT_EQ(json.at("verdict"), "pass");
    EXPECT_EQ(json.at("steps").at(0).at("cores"), 3 * 64);
    EXPECT_EQ(json.at("steps").at(0).at("output_tiles"), 3 * 640);
    EXPECT_EQ(json.at("steps").at(0).at("check").at("elements"), 3 * 640 * 1024);
    std::uint64_t read = 0;
    for (const auto& core : json.at("cores").at("each")) {
        read += core.at("bytes_read").get<std::uint64_t>();
    }
    EXPECT_EQ(read, 3ULL * 2 * 640 * 2048);
}

TEST(CliRunOp, SaysInJsonWhatItWorkedOn) {
    const auto json = nlohmann::json::parse(run_config("reshard", {"--json"}).out);

    EXPECT_EQ(json.at("workload").at("input"), "(512,256) float32");
}

TEST(CliRunOp, TakesEveryFunctionAndFormat) {
    for (const char* function : {"sqrt", "log", "rsqrt", "recip", "gelu"}) {
        for (const char* format : {"bfloat16", "bfp8_b", "float32"}) {
            const Ending ending = run_config(
                "exp",
                {"--quiet", "--set", std::string("steps.eltwise.set.function=") + function, "--set",
                 std::string("tensors.a.dtype=") + format, "--set",
                 "steps.eltwise.set.fp32_dest_acc=true", "--set", "tensors.a.shape=[3, 40, 80]",
                 "--set", "tensors.a.origin={random: normal, domain: positive}", "--set",
                 "steps.eltwise.out={output: {dtype: bfloat16}}"});

            EXPECT_THAT(ending.out, StartsWith("PASS ")) << function << " of " << format;
        }
    }
}

// One rounding to bfloat16 changes an element by up to 0.4 %.
TEST(CliRunOp, FailsWithExitCodeOneAndSaysWhere) {
    const Ending ending = run_config("matmul_640", {"--set", "verify.max_relative_error=0.001"});

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.out, HasSubstr("\n  matmul: largest relative error 0.00"));
    EXPECT_THAT(ending.out, HasSubstr("; first beyond: output of device 0 at (0,"));
    EXPECT_THAT(ending.out, HasSubstr("FAIL 1 of 1 steps checked: matmul\n"));
}

TEST(CliRunOp, ChecksNothingIfAskedNotTo) {
    EXPECT_THAT(run_config("copy", {"--quiet", "--set", "verify.level=off"}).out,
                StartsWith("DONE 1 step in "));
}

TEST(CliRunOp, WritesTheOutputOfEachDevice) {
    const ScratchFolder folder;
    const std::string path = folder.file("out.safetensors");

    const Ending ending =
        run_config("copy", {"--quiet", "--outputs", path, "--set", "mesh.shape=[1, 2]", "--set",
                            "tensors.input.shape=[40, 80]"});

    EXPECT_EQ(ending.exit_code, 0);
    const SafetensorsFile file(path);
    EXPECT_EQ(file.at("d0.output").shape, (Shape{40, 80}));
    EXPECT_EQ(file.at("d1.output").dtype, Dtype::BF16);
    EXPECT_NE(file.read("d0.output").bytes, file.read("d1.output").bytes);
}

TEST(CliRunOp, DrawsTheSameValuesFromTheSameSeed) {
    const ScratchFolder folder;
    const auto output = [&](const std::string& name, const std::string& seed) {
        const std::string path = folder.file(name);
        (void)run_config("copy", {"--quiet", "--outputs", path, "--set", "seed=" + seed, "--set",
                                  "tensors.input.shape=[40, 80]"});
        return SafetensorsFile(path).read("d0.output").bytes;
    };

    EXPECT_EQ(output("a", "7"), output("b", "7"));
    EXPECT_NE(output("c", "7"), output("d", "8"));
}

TEST(CliCheck, HoldsTheScheduleOfAnOpAgainstItsShape) {
    const Ending ending =
        run_tessera({"check", "matmul_640", "--set", "steps.matmul.set.per_core_m=2"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                StartsWith(std::string(TESSERA_SOURCE_DIR) +
                           "/configs/runs/matmul_640.yaml:15:11: steps.matmul.set.grid: has 8 "
                           "cores for M; its 20 tiles need 10 at per_core_m 2"));
}

TEST(CliRunOp, RefusesParamsThatTheFileHasNot) {
    const Ending ending = run_config("copy", {"--set", "params.tokens=3"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "--set params.tokens=3: params.tokens: the file has none\n");
}

TEST(CliRunOp, RefusesWhatDoesNotFitInTheDevicesMemory) {
    const Ending ending = run_config("copy", {"--set", "tensors.input.shape=[8192, 8192]", "--set",
                                              "steps.copy.out={output: {memory: l1}}"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("configs/runs/copy.yaml:11:12: steps.copy: L1 of device 0 "
                                      "(bytes per core): output needs 2097152 B"));
}

}  // namespace
}  // namespace tessera::test
