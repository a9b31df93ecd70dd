// SPDX-License-Identifier: Apache-2.0
// tessera model: what it writes, prints and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// A model of small dimensions with every part of a layer that Qwen1.5-MoE has.
const char* const kSmall = R"({"model_type": "qwen2_moe", "hidden_size": 64,
  "num_hidden_layers": 2, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
  "shared_expert_intermediate_size": 64, "num_attention_heads": 2, "num_key_value_heads": 2})";

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

// Two experts of hidden 2 in one file, under the names of Mixtral; a wrong name ends with 2.
TEST(CliModel, ReadsWeightsUnderTheModelsNames) {
    const ScratchFolder folder;
    (void)folder.write("config.json", R"({"model_type": "mixtral", "hidden_size": 64,
      "num_hidden_layers": 1, "num_local_experts": 2, "num_experts_per_tok": 1,
      "intermediate_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1})");
    const HostTensor router = make_host_tensor({2, 64}, DataFormat::Float16_b);
    const HostTensor in = make_host_tensor({32, 64}, DataFormat::Float16_b);
    const HostTensor down = make_host_tensor({64, 32}, DataFormat::Float16_b);
    const std::string moe = "model.layers.0.block_sparse_moe.";
    std::map<std::string, const HostTensor*> tensors{{moe + "gate.weight", &router}};
    for (const std::string expert : {"experts.0.", "experts.1."}) {
        tensors.emplace(moe + expert + "w1.weight", &in);
        tensors.emplace(moe + expert + "w2.weight", &down);
        tensors.emplace(moe + expert + "w3.weight", &in);
    }
    write_safetensors(folder.file("model.safetensors"), tensors);
    const std::vector<std::string> command{"model", ".",        "--weights", ".",     "--mesh",
                                           "1x1",   "--tokens", "2",         "--out", "m.yaml"};

    const Ending ending = run_tessera(command, folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    tensors.erase(moe + "experts.1.w3.weight");
    write_safetensors(folder.file("model.safetensors"), tensors);
    const Ending refused = run_tessera(command, folder.path());
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("model.safetensors: tensor model.layers.0.block_sparse_moe."
                                       "experts.1.w3.weight is missing; nearest: "));
}

TEST(CliModel, RunsAWholeLayerWithAttention) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);

    const Ending ending = run_tessera({"model", "small.json", "--layer", "whole", "--mesh", "1x2",
                                       "--tokens", "5", "--context", "40"},
                                      folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("small (Qwen1.5-MoE): layer on 1 × 2 wormhole_n150, 5 "));
    EXPECT_THAT(ending.out, ContainsRegex("cache [1-9]"));
    EXPECT_THAT(ending.out, HasSubstr("PASS"));
}

TEST(CliModel, LatentAttentionNamesItsRunFiles) {
    const ScratchFolder folder;

    const Ending ending = run_tessera({"model", "kimi-k2", "--layer", "whole"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("kimi-k2.json: attention is mla; allowed with --layer whole: "
                                      "grouped-query attention. Latent attention runs in "
                                      "deepseek_v32_decode and deepseek_v32_prefill\n"));
}

TEST(CliModel, AContextNeedsAttention) {
    const Ending ending = run_tessera({"model", "olmoe-1b-7b", "--context", "8"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(
        ending.err,
        "tessera: --context 8: the cache belongs to attention; allowed: with --layer whole\n");
}

TEST(CliModel, PrintsTheLoadOfARouting) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);

    const Ending ending =
        run_tessera({"model", "small.json", "--mesh", "1x2", "--tokens", "6", "--routing", "hot:1"},
                    folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("Routing hot:1\n"));
    EXPECT_THAT(ending.out, HasSubstr("of experts: largest 4.000 × mean"));  // 6 of 12 choices, 8
    EXPECT_THAT(ending.out, HasSubstr("PASS"));
}

TEST(CliModel, ATraceWithFewerTokensIsRefused) {
    const ScratchFolder folder;
    const std::string trace = golden_path("placement_e64_d8");

    const Ending ending = run_tessera(
        {"model", "olmoe-1b-7b", "--tokens", "2000", "--routing", trace, "--write-only"},
        folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: " + trace +
                              ": has 1024 tokens; allowed: at least 2000, or --tokens 1024\n");
}

// The golden file has 1.3291 for experts in order and 1.001 for the best placement known.
TEST(CliMoePlace, WritesAPlacementThatRuns) {
    const ScratchFolder folder;

    const Ending ending =
        run_tessera({"moe", "place", "moe_modular", "--routing", golden_path("placement_e64_d8"),
                     "--set", "params.E=64", "--set", "params.ranks=8", "--set", "params.topk=8",
                     "--set", "params.pf=naive_broadcast", "--plan-only"},
                    folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(
        ending.out,
        ContainsRegex("Largest load over the mean: 1.3291 in order, 1.0[0-2][0-9]* placed"));
    EXPECT_EQ(run_tessera({"run", "moe_modular.placed.yaml", "--quiet"}, folder.path()).exit_code,
              0);
}

TEST(CliMoePlace, LeavesAUsersFileOfTheSameNameAlone) {
    const ScratchFolder folder;
    folder.write("moe_modular.before.yaml", "extends: moe_modular\n");

    const Ending ending = run_tessera(
        {"moe", "place", "moe_modular", "--routing", golden_path("placement_e64_d8"), "--set",
         "params.E=64", "--set", "params.ranks=8", "--set", "params.topk=8", "--plan-only"},
        folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: moe_modular.before.yaml: exists, and `moe place` did not write it; "
              "allowed: another --out\n");
    EXPECT_EQ(bytes_of(folder.file("moe_modular.before.yaml")), "extends: moe_modular\n");
}

TEST(CliMoePlace, RefusesATraceOfAnotherTopK) {
    const ScratchFolder folder;

    const Ending ending =
        run_tessera({"moe", "place", "moe_modular", "--routing", golden_path("placement_e64_d8"),
                     "--set", "params.E=64", "--set", "params.ranks=8", "--plan-only"},
                    folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: " + golden_path("placement_e64_d8") +
                              ": 8 experts a token; allowed: 3, the top-k of the run\n");
}

// Copies of experts get numbers of their own: 64 experts and 8 copies, 9 on each device.
TEST(CliMoePlace, CopiesBusyExperts) {
    const ScratchFolder folder;

    const Ending ending =
        run_tessera({"moe", "place", "moe_modular", "--routing", golden_path("placement_e64_d8"),
                     "--redundant", "8", "--set", "params.E=64", "--set", "params.ranks=8", "--set",
                     "params.topk=8", "--set", "params.pf=all_to_all_contiguous", "--plan-only"},
                    folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("in order, 1.0007 placed"));
    EXPECT_THAT(bytes_of(folder.file("moe_modular.placed.yaml")), HasSubstr("E: 72 "));
    EXPECT_EQ(run_tessera({"run", "moe_modular.placed.yaml", "--quiet"}, folder.path()).exit_code,
              0);
}

}  // namespace
}  // namespace tessera::test
