// SPDX-License-Identifier: Apache-2.0
// Output of commands that run nothing: help, list, check, explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kConfigs = std::string(TESSERA_SOURCE_DIR) + "/configs/";

TEST(CliVersion, IsPrinted) {
    const Ending ending = run_tessera({"--version"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, ContainsRegex("^tessera [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
    EXPECT_EQ(ending.err, "");
}

TEST(CliHelp, NamesEveryCommandAndExitCode) {
    const std::string help = run_tessera({"--help"}).out;

    EXPECT_THAT(help, StartsWith("Emulates tile accelerators"));
    for (const char* command : {"\n  run ", "\n  retime ", "\n  compare ", "\n  sweep ",
                                "\n  score ", "\n  check ", "\n  explain ", "\n  list "}) {
        EXPECT_THAT(help, HasSubstr(command));
    }
    EXPECT_THAT(help, HasSubstr("Exit codes: 0 success, 1 a result failed its check, 2 wrong"));
}

TEST(CliHelp, OfRunNamesEveryOption) {
    const Ending ending = run_tessera({"run", "--help"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, HasSubstr("Usage: tessera run [OPTIONS] CONFIG"));
    for (const char* option :
         {"--set KEY=VALUE", "--threads N", "--inputs FILE", "--outputs FILE", "--json", "--quiet",
          "--trace FILE", "--report DIR", "--timing-only", "--no-timing", "--profile-host",
          "Tensors of --inputs replace the run file", "d<i>.NAME of each device i"}) {
        EXPECT_THAT(ending.out, HasSubstr(option));
    }
}

TEST(CliHelp, SaysLimitsOfAnOptionInWords) {
    const std::string tune = run_tessera({"tune", "--help"}).out;
    const std::string score = run_tessera({"score", "--help"}).out;

    EXPECT_THAT(tune,
                HasSubstr("--table FILE                File that keeps the choices; required\n"));
    EXPECT_THAT(score, HasSubstr("in Markdown; not together with --json or --rows\n"));
    EXPECT_THAT(score, HasSubstr("mechanism or workload; only with --plot\n"));
    for (const char* word : {"REQUIRED", "Excludes", "Needs"}) {
        EXPECT_THAT(tune + score, testing::Not(HasSubstr(word)));
    }
}

class CliShippedConfig : public testing::TestWithParam<const char*> {};

TEST_P(CliShippedConfig, IsInOrder) {
    const Ending ending = run_tessera({"check", GetParam()});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_EQ(ending.out, std::string(GetParam()) + ": ok\n");
}

TEST_P(CliShippedConfig, TakesAnotherMesh) {
    const Ending ending = run_tessera({"check", GetParam(), "--set", "mesh.shape=[1,4]"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
}

TEST_P(CliShippedConfig, TakesTheOtherDevice) {
    const Ending ending = run_tessera({"check", GetParam(), "--set=mesh.device=blackhole_p150"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
}

INSTANTIATE_TEST_SUITE_P(Runs, CliShippedConfig,
                         testing::Values("moe_v2", "moe_v2_4x8", "moe_v2_single_core",
                                         "moe_v2_tiny"),
                         [](const auto& test) { return std::string(test.param); });

/// Runs whose file states the mesh by params; groups of devices depend on the same params.
class CliRunOnRows : public testing::TestWithParam<const char*> {};

TEST_P(CliRunOnRows, NeedsTheShapeOfTheMeshOnly) {
    const Ending ending = run_tessera({"run", GetParam(), "--set", "mesh.shape=[2,4]", "--quiet"});

    EXPECT_EQ(ending.exit_code, 0) << ending.out << ending.err;
    EXPECT_EQ(ending.err, "");
}

INSTANTIATE_TEST_SUITE_P(Runs, CliRunOnRows,
                         testing::Values("attention_output", "moe_layer", "deepseek_v32_tiny",
                                         "moe_fp8", "sp_chunks"),
                         [](const auto& test) { return std::string(test.param); });

TEST(CliCheck, TakesAPath) {
    const std::string path = kConfigs + "runs/moe_v2_tiny.yaml";

    EXPECT_EQ(run_tessera({"check", path}).out, path + ": ok\n");
}

TEST(CliCheck, PrintsItsAnswerAsJson) {
    const auto run = nlohmann::json::parse(run_tessera({"check", "matmul_640", "--json"}).out);
    const auto sweep =
        nlohmann::json::parse(run_tessera({"check", "attention_form", "--json"}).out);

    EXPECT_EQ(run.at("config"), "matmul_640");
    EXPECT_EQ(run.at("verdict"), "ok");
    EXPECT_FALSE(run.contains("points"));
    EXPECT_EQ(sweep.at("points"), 10);  // 2 forms × 5 contexts
    EXPECT_EQ(sweep.at("impossible"), nlohmann::json::array());
}

TEST(CliCheck, PrintsMistakesOnlyIfQuiet) {
    const Ending valid = run_tessera({"check", "matmul_640", "--quiet"});
    const Ending invalid = run_tessera({"check", "matmul_640", "--quiet", "--set", "params.M=x"});

    EXPECT_EQ(valid.out + valid.err, "");
    EXPECT_EQ(valid.exit_code, 0);
    EXPECT_THAT(invalid.err, HasSubstr("params.M"));
    EXPECT_EQ(invalid.exit_code, 2);
}

TEST(CliList, ShowsTheConfigurationsThatShip) {
    const std::string list = run_tessera({"list", "configs"}).out;

    EXPECT_THAT(
        list,
        ContainsRegex("\n  moe_v2  +1 × 8 wormhole_n150 +11 +tokens 128, hidden 2048, "
                      "intermediate 768, experts 128, slots 16, top_k 8, activation separate\n"));
    EXPECT_THAT(list,
                ContainsRegex("\n  vector_add +1 × 1 wormhole_n150 +1 +rows 640, columns 1024"));
    EXPECT_THAT(list, ContainsRegex("\n  moe_v2_4x8 +4 × 8 wormhole_n150 "));
    EXPECT_THAT(list,
                ContainsRegex("\n  activations +1 × 1 wormhole_n150 +20 +n 4610, rows 12, d 48, "
                              "alpha 1.702, limit 7, seed 1\n"));
    EXPECT_THAT(list, ContainsRegex("\n  deepseek_v32_decode +4 × 8 wormhole_n150 +60 +layers 1, "
                                    "tokens 1, context 4095, shorter 0, H 7168, n_heads 128, "
                                    "q_lora_rank 1536, kv_lora_rank 512, … \\([0-9]+ in all\\)\n"));
    // Not the params that follow from others: num_batches, product_rows and part.
    EXPECT_THAT(list,
                ContainsRegex("\n  two_batches +1 × 8 wormhole_n150 +7 +batches one, tokens 8, "
                              "hidden 256, intermediate 128, experts 32, top_k 4, "
                              "exchange_rows 1\n"));
}

TEST(CliList, ShowsTheDeviceModels) {
    const std::string list = run_tessera({"list", "archs"}).out;

    EXPECT_THAT(list, ContainsRegex("\n  wormhole_n150 +wormhole +8 × 8 +1464 KiB +12.0 GiB +12"));
    EXPECT_THAT(list, ContainsRegex("\n  blackhole_p150 +blackhole +13 × 10 "));
}

TEST(CliList, ShowsTheOpsWithTheirSchedules) {
    const std::string list = run_tessera({"list", "ops"}).out;

    EXPECT_THAT(list, ContainsRegex("\n  prepare_moe_routing_tensors +multi_core +tokens and"));
    EXPECT_THAT(list, ContainsRegex("\n  local_reduce_moe_output +fp32, bf16_rne, bf16_trunc"));
}

// Many ops have a key of this name, so each line begins with its page.
TEST(CliList, FilterOfKeysNamesThePagesOfItsLines) {
    const std::string list = run_tessera({"list", "keys", "--filter", "| `k_block` |"}).out;

    EXPECT_THAT(list, ContainsRegex("(^|\n)ops/moe_bmm.md: \\| `k_block` \\| 1 to 1024 \\| `4` "));
}

TEST(CliList, WritesThePagesOfKeysToAFolder) {
    const ScratchFolder scratch;
    const std::string folder = scratch.file("docs");

    const Ending ending = run_tessera({"list", "keys", "--markdown", folder});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_EQ(ending.out, "");
    for (const char* page : {"configuration.md", "keys/run.md", "ops/moe_bmm.md"}) {
        EXPECT_EQ(bytes_of(folder + "/" + page),
                  bytes_of(std::string(TESSERA_SOURCE_DIR) + "/docs/" + page));
    }
}

TEST(CliExplain, ShowsWhereValuesCameFrom) {
    const std::string text = run_tessera({"explain", "moe_v2", "--set", "seed=9"}).out;

    EXPECT_THAT(text, ContainsRegex("params.tokens: 128 +# .*/moe_v2.yaml:[0-9]+:[0-9]+\n"));
    EXPECT_THAT(text, ContainsRegex("seed: 9 +# --set seed=9\n"));
    EXPECT_THAT(text, ContainsRegex("steps.scatter.set.cb_depth: 2 +# default\n"));
    EXPECT_THAT(text,
                ContainsRegex("arch.l1.size: 1464 KiB +# .*wormhole_n150.yaml:.*MEM_L1_SIZE"));
}

TEST(CliExplain, GivesTheSameAsJson) {
    const auto json = nlohmann::json::parse(run_tessera({"explain", "moe_v2", "--json"}).out);

    const auto tokens = std::ranges::find_if(
        json, [](const auto& value) { return value.at("key") == "params.tokens"; });
    ASSERT_NE(tokens, json.end());
    EXPECT_EQ(tokens->at("value"), 128);
    EXPECT_THAT(tokens->at("origin").get<std::string>(), HasSubstr("moe_v2.yaml:"));
}

TEST(CliExplain, FilterShowsTheKeysThatContainTheText) {
    const std::string text =
        run_tessera({"explain", "moe_v2", "--filter", "arch.timing.noc.hop"}).out;

    EXPECT_THAT(text, ContainsRegex("^arch.timing.noc.hop: [0-9.]+ cycles  # [^\n]+\n$"));
}

TEST(CliExplain, FilterThatNoKeyContainsIsRefused) {
    const Ending ending = run_tessera({"explain", "moe_v2", "--filter", "noc.hpo"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: no key of moe_v2 contains 'noc.hpo'; without --filter all are shown\n");
}

TEST(CliList, FilterShowsTheDeviceKeysThatContainTheText) {
    const std::string list =
        run_tessera({"list", "device-keys", "--filter", "`timing.noc.hop`"}).out;

    EXPECT_EQ(list,
              "| `timing.noc.hop` | a number in cycles, 0 to 1000000000 | router to router |\n");
}

}  // namespace
}  // namespace tessera::test
