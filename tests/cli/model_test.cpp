// SPDX-License-Identifier: Apache-2.0
// tessera model: files, output and refusals.
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

/// A model of small dimensions with every part of a Qwen1.5-MoE layer.
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

TEST(CliModel, FindsADeviceFileInTheCurrentFolderAndWritesTheRunFileElsewhere) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);
    (void)folder.write("fast.yaml", "extends: wormhole_n150\nname: fast\n");
    std::filesystem::create_directory(folder.file("runs"));

    const Ending written = run_tessera({"model", "small.json", "--device", "fast.yaml", "--mesh",
                                        "1x2", "--out", "runs/small.yaml", "--write-only"},
                                       folder.path());

    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_THAT(written.out,
                StartsWith("small (Qwen1.5-MoE): MoE layer on 1 × 2 fast, 32 tokens, decode\n"));
    const Ending check = run_tessera({"check", "runs/small.yaml"}, folder.path());
    EXPECT_EQ(check.exit_code, 0) << check.err;
}

// The layer is planned in the folder of a shipped run file, and run from that of --out.
TEST(CliModel, FindsADeviceThatADeviceFileExtendsBesideThatFile) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);
    std::filesystem::create_directory(folder.file("my devices #2"));
    std::filesystem::create_directory(folder.file("runs"));
    (void)folder.write("my devices #2/base.yaml", "extends: wormhole_n150\nname: base\n");
    (void)folder.write("my devices #2/fast.yaml", "extends: ./base.yaml\nname: fast\n");

    const Ending written =
        run_tessera({"model", "small.json", "--device", "my devices #2/fast.yaml", "--mesh", "1x2",
                     "--out", "runs/small.yaml", "--write-only"},
                    folder.path());

    EXPECT_EQ(written.exit_code, 0) << written.err;
    const Ending check = run_tessera({"check", "runs/small.yaml"}, folder.path());
    EXPECT_EQ(check.exit_code, 0) << check.err;
}

TEST(CliModel, RefusesADeviceFileThatDoesNotExist) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);

    const Ending ending =
        run_tessera({"model", "small.json", "--device", "no.yaml"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera model (--device): mesh.device: there is no file " +
                              folder.file("no.yaml") + "\n");
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

TEST(CliModel, DoesNotReplaceTheModelItself) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);

    const Ending refused = run_tessera(
        {"model", "small.json", "--out", "small.json", "--force", "--write-only"}, folder.path());

    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err, "tessera: --out small.json is the file of MODEL\n");
    EXPECT_EQ(bytes_of(folder.file("small.json")), kSmall);
}

TEST(CliModel, StatesWhichNumbersOfALayerAreAllowed) {
    EXPECT_EQ(run_tessera({"model", "mixtral-8x7b", "--layer-index", "-1"}).err,
              "tessera: --layer-index -1: allowed: 0 to 4095; see tessera model --help\n");
    EXPECT_EQ(run_tessera({"moe", "place", "moe_modular", "--routing", "zipf", "--layer", "x"}).err,
              "tessera: --layer x: allowed: 0 to 4095; see tessera moe place --help\n");
    EXPECT_EQ(run_tessera({"moe", "place", "moe_modular", "--routing", "zipf", "--layer", "3"}).err,
              "tessera: --layer 3: zipf has 1 layer; allowed: 0\n");
}

// compare and advise read a .json file as a report.
TEST(CliModel, RefusesARunFileWithTheEndingOfAnotherFormat) {
    const ScratchFolder folder;
    (void)folder.write("small.json", kSmall);

    const Ending ending =
        run_tessera({"model", "small.json", "--out", "run.json", "--write-only"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: --out run.json: its ending is .json, allowed: .yaml, the format that the "
              "option writes; write --out run.yaml\n");
    EXPECT_FALSE(std::filesystem::exists(folder.file("run.json")));
    EXPECT_EQ(
        run_tessera({"model", "small.json", "--mesh", "1x2", "--out", "run.yml", "--write-only"},
                    folder.path())
            .exit_code,
        0);
}

TEST(CliModel, ALayerBeyondTheDramNamesBytesAndDevices) {
    const ScratchFolder folder;

    const Ending ending = run_tessera({"model", "deepseek-v3", "--mesh", "1x1", "--tokens", "1",
                                       "--set", "params.quantisation=none"},
                                      folder.path());

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

/// Writes a model with two experts in e4m3 and scales of 128 × 128, under DeepSeek's names.
void write_fp8_model(const ScratchFolder& folder) {
    (void)folder.write("config.json", R"({"model_type": "deepseek_v3", "hidden_size": 128,
      "num_hidden_layers": 1, "first_k_dense_replace": 0, "n_routed_experts": 2, "n_group": 1,
      "topk_group": 1, "num_experts_per_tok": 1, "n_shared_experts": 0, "num_attention_heads": 2,
      "moe_intermediate_size": 128, "kv_lora_rank": 32, "q_lora_rank": 32, "qk_nope_head_dim": 32,
      "qk_rope_head_dim": 32, "v_head_dim": 32, "routed_scaling_factor": 1})");
    const HostTensor router = make_host_tensor({2, 128}, DataFormat::Float16_b);
    const HostTensor bias = make_host_tensor({2}, DataFormat::Float32);
    HostTensor codes = make_host_tensor({128, 128}, DataFormat::Fp8_e4m3);
    for (std::size_t i = 0; i < codes.bytes.size(); ++i) {
        // ±0.25 to ±3.75
        codes.bytes[i] = static_cast<std::byte>((i * 89 & 0x9FU) + 0x28);
    }
    HostTensor scale = make_host_tensor({1, 1}, DataFormat::Float32);
    scale.as<float>()[0] = 0.0625F;
    const std::string moe = "model.layers.0.mlp.";
    std::map<std::string, const HostTensor*> tensors{{moe + "gate.weight", &router},
                                                     {moe + "gate.e_score_correction_bias", &bias}};
    for (const std::string expert : {"experts.0.", "experts.1."}) {
        for (const std::string name : {"gate_proj", "up_proj", "down_proj"}) {
            tensors.emplace(moe + expert + name + ".weight", &codes);
            tensors.emplace(moe + expert + name + ".weight_scale_inv", &scale);
        }
    }
    write_safetensors(folder.file("model.safetensors"), tensors);
}

TEST(CliModel, ExpertsKeepTheCodesOfTheirFiles) {
    const ScratchFolder folder;
    write_fp8_model(folder);
    std::vector<std::string> command{"model", ".",        "--weights", ".",     "--mesh",
                                     "1x1",   "--tokens", "5",         "--out", "fp8.yaml"};

    const Ending ending = run_tessera(command, folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("PASS"));
    const std::string text = bytes_of(folder.file("fp8.yaml"));
    EXPECT_THAT(text, HasSubstr("quantisation: fp8_block"));
    EXPECT_THAT(text, HasSubstr("model.layers.0.mlp.experts.*.up_proj.weight_scale_inv"));
    command.back() = "bf16.yaml";
    command.insert(command.end(), {"--set", "params.quantisation=none"});
    const Ending converted = run_tessera(command, folder.path());
    EXPECT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_THAT(bytes_of(folder.file("bf16.yaml")),
                HasSubstr("fp8 weights are multiplied by their scales and rounded to bfloat16"));
    command.back() = "params.quantisation=mxfp4";
    const Ending refused = run_tessera(command, folder.path());
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err,
              "tessera: --weights .: experts are stored as fp8_block, but params.quantisation is "
              "mxfp4; allowed: fp8_block, or none, which converts them to bfloat16\n");
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

/// A model with latent attention, with a latent of the queries or without one (null).
std::string latent_model(const std::string& query_latent) {
    return R"({"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 1,
      "first_k_dense_replace": 0, "n_routed_experts": 8, "n_group": 1, "topk_group": 1,
      "num_experts_per_tok": 2, "n_shared_experts": 1, "num_attention_heads": 4,
      "moe_intermediate_size": 32, "kv_lora_rank": 64, "qk_nope_head_dim": 32,
      "qk_rope_head_dim": 32, "v_head_dim": 32, "routed_scaling_factor": 1,
      "rope_scaling": {"type": "yarn", "factor": 4, "mscale": 1, "mscale_all_dim": 1,
        "original_max_position_embeddings": 64}, "q_lora_rank": )" +
           query_latent + "}";
}

TEST(CliModel, NamesTheMeshesThatCanShareTheHeads) {
    const ScratchFolder folder;
    const Ending grouped =
        run_tessera({"model", "gpt-oss-20b", "--layer", "whole", "--mesh", "1x5"}, folder.path());
    const Ending latent = run_tessera(
        {"model", "deepseek-v2-lite", "--layer", "whole", "--mesh", "3x3"}, folder.path());

    EXPECT_EQ(grouped.exit_code, 2);
    EXPECT_EQ(grouped.err,
              "tessera: --mesh 1x5: 5 devices cannot share 64 heads of queries and 8 of keys of "
              "gpt-oss-20b; allowed: 1, 2, 4, 8, 16, 32, 64\n");
    EXPECT_EQ(latent.err,
              "tessera: --mesh 3x3: 3 devices cannot share 16 heads of queries and 1 of keys of "
              "deepseek-v2-lite; allowed: 1, 2, 4, 8, 16\n");
}

TEST(CliModel, RunsAWholeLayerWithLatentAttention) {
    const ScratchFolder folder;
    for (const char* query_latent : {"48", "null"}) {
        (void)folder.write("latent.json", latent_model(query_latent));

        const Ending ending = run_tessera({"model", "latent.json", "--layer", "whole", "--mesh",
                                           "1x2", "--tokens", "5", "--context", "40", "--force"},
                                          folder.path());

        EXPECT_EQ(ending.exit_code, 0) << ending.err;
        EXPECT_THAT(ending.out, ContainsRegex("cache [1-9]"));
        EXPECT_THAT(ending.out, HasSubstr("PASS"));
    }
}

// Both forms have the same sums in another order of work.
TEST(CliModel, MergesTheProjectionsToLatents) {
    const ScratchFolder folder;
    (void)folder.write("latent.json", latent_model("48"));
    std::vector<std::string> bytes;
    for (const std::string form : {"merged", "apart"}) {
        const Ending ending =
            run_tessera({"model", "latent.json", "--layer", "whole", "--mesh", "1x1", "--tokens",
                         "3", "--context", "8", "--out", form + ".yaml", "--outputs",
                         form + ".safetensors", "--set", "params.qkv_a=" + form},
                        folder.path());
        ASSERT_EQ(ending.exit_code, 0) << ending.err;
        bytes.push_back(bytes_of(folder.file(form + ".safetensors")));
    }

    EXPECT_EQ(bytes[0], bytes[1]);
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
    EXPECT_THAT(ending.out, HasSubstr("\nExperts in order:\n  device  experts  choices "));
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

TEST(CliMoePlace, NamesTheOptionOfAnUnknownLoad) {
    EXPECT_EQ(run_tessera(
                  {"moe", "place", "moe_modular", "--routing", "zipf", "--routing-check", "zipf:9"})
                  .err,
              "tessera: --routing-check zipf:9: allowed after the colon: a number from 0 to 8\n");
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

// Copies of experts have their own numbers: 64 experts and 8 copies, 9 on each device.
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
