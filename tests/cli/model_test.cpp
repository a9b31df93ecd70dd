// SPDX-License-Identifier: Apache-2.0
// tessera model: what it writes, prints and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A model of small dimensions with every part of a layer that Qwen1.5-MoE has.
const char* const kSmall = R"({"model_type": "qwen2_moe", "hidden_size": 64,
  "num_hidden_layers": 2, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
  "shared_expert_intermediate_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1})";

TEST(CliModel, WritesARunFileAndRunsIt) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);

    const Ending ending =
        run_tessera({"model", "small.json", "--mesh", "1x2", "--tokens", "5"}, folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("small (Qwen1.5-MoE): MoE layer on 1 × 2 wormhole_n150, 5 "
                                       "tokens, decode\n"));
    EXPECT_THAT(ending.out, HasSubstr("num_experts_per_tok"));
    EXPECT_THAT(ending.out, HasSubstr("Assumed: norm_topk_prob is absent: false"));
    EXPECT_THAT(ending.out, HasSubstr("stage"));
    EXPECT_THAT(ending.out, HasSubstr("PASS"));
    EXPECT_EQ(run_tessera({"run", "small.yaml", "--quiet"}, folder.path()).exit_code, 0);
}

TEST(CliModel, DoesNotReplaceAnEditedRunFile) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);
    (void)folder.write("small.yaml", "extends: model_moe\n");
    const std::vector<std::string> command{"model", "small.json", "--mesh", "1x2", "--write-only"};

    const Ending refused = run_tessera(command, folder.path());

    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(
        refused.err,
        "tessera: small.yaml: exists and differs from what would be written; allowed: --out with "
        "another name, or --force to replace it\n");
    EXPECT_EQ(bytes_of(folder.file("small.yaml")), "extends: model_moe\n");
}

TEST(CliModel, ALayerBeyondTheDramNamesBytesAndDevices) {
    const ScratchFolder folder;

    const Ending ending =
        run_tessera({"model", "deepseek-v3", "--mesh", "1x1", "--tokens", "1"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                StartsWith("tessera: deepseek-v3: the weights of one layer take 21.1 GiB on the "
                           "fullest of 1 devices (22640328704 B), "));
    EXPECT_THAT(ending.err, HasSubstr("and wormhole_n150 has 12.0 GiB of DRAM (12884901888 B); "
                                      "allowed: at least 2 devices\n"));
}

TEST(CliModel, PrintsTheNumbersAsJson) {
    const ScratchFolder folder;

    const Ending ending =
        run_tessera({"model", "kimi-k2", "--mesh", "4x8", "--write-only", "--json"}, folder.path());

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    const auto json = nlohmann::json::parse(ending.out);
    EXPECT_EQ(json["routed_experts"], 384);
    EXPECT_EQ(json["experts_per_device"].size(), 32U);
    EXPECT_EQ(json["bf16_expert_bytes_of_largest_device"], 1056964608);
}

TEST(CliModel, UnknownNameNamesTheNearest) {
    const Ending ending = run_tessera({"model", "qwen3-30b"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                StartsWith("tessera: qwen3-30b: no such file or shipped model; nearest: "
                           "qwen3-30b-a3b;"));
}

TEST(CliModel, AMeshHasRowsAndColumns) {
    const Ending ending = run_tessera({"model", "qwen3-30b-a3b", "--mesh", "8"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: --mesh 8: allowed: ROWSxCOLUMNS of at most 256 devices, such as 4x8\n");
}

}  // namespace
}  // namespace tessera::test
