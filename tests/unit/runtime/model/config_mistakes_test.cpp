// SPDX-License-Identifier: Apache-2.0
// One mistake in a config.json per test, and its message.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/model/read_model.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::model {
namespace {

const char* const kModel = R"({
  "model_type": "deepseek_v3",
  "architectures": ["DeepseekV3ForCausalLM"],
  "hidden_size": 64,
  "num_hidden_layers": 4,
  "n_routed_experts": 16,
  "num_experts_per_tok": 4,
  "moe_intermediate_size": 32,
  "n_group": 4,
  "topk_group": 2,
  "num_attention_heads": 2,
  "kv_lora_rank": 32,
  "qk_nope_head_dim": 16,
  "qk_rope_head_dim": 16,
  "v_head_dim": 16
})";

/// Returns the message about a config.json, without its folder.
std::string message_of(const std::string& text) {
    const ScratchFolder folder;
    const auto path = folder.write("config.json", text);
    try {
        (void)read_model(path);
    } catch (const UsageError& error) {
        const std::string message = error.what();
        const std::string start = folder.path().string() + "/";
        return message.starts_with(start) ? message.substr(start.size()) : message;
    }
    return "accepted";
}

/// Returns the message about the model above with one line replaced.
std::string message_with(const std::string& line, const std::string& replacement) {
    std::string text = kModel;
    const std::size_t at = text.find(line);
    EXPECT_NE(at, std::string::npos) << line;
    return message_of(text.replace(at, line.size(), replacement));
}

TEST(ConfigJsonMistakes, TheModelItselfIsAccepted) {
    EXPECT_EQ(message_of(kModel), "accepted");
}

TEST(ConfigJsonMistakes, NoJsonHasItsPlace) {
    EXPECT_EQ(message_of("{\n  \"hidden_size\": 64,\n  top_k\n}"),
              "config.json:3:4: not JSON; allowed: the config.json of a model");
}

TEST(ConfigJsonMistakes, NumbersBeyondADoubleHaveTheirPlace) {
    EXPECT_EQ(message_of("{\n  \"hidden_size\": 1e999\n}"),
              "config.json:2:18: 1e999 is out of range; allowed: numbers below 1.8e308");
}

TEST(ConfigJsonMistakes, ATextConfigThatIsNoObjectIsNotIgnored) {
    EXPECT_EQ(message_with("  \"n_group\": 4,", "  \"n_group\": 4,\n  \"text_config\": [1],"),
              "config.json:10:3: text_config: is [1]; allowed: an object with the keys of the "
              "language model");
}

// The type for other models replaces that of a family, whose class stays in the file.
TEST(ConfigJsonMistakes, TheTypeOfOtherModelsIsAcceptedBesideAClass) {
    EXPECT_EQ(message_with("\"deepseek_v3\"", "\"moe\"").find("architectures"), std::string::npos);
}

TEST(ConfigJsonMistakes, NoObjectIsNamed) {
    EXPECT_EQ(message_of("[1]"),
              "config.json: holds array; allowed: an object {\"model_type\": …}");
}

TEST(ConfigJsonMistakes, UnknownFamilyListsTheAllowedOnes) {
    EXPECT_EQ(message_with("\"deepseek_v3\"", "\"llama\""),
              "config.json:2:3: model_type: is \"llama\", which is not a family of this version; "
              "allowed: qwen3_moe, qwen3_vl_moe_text, qwen3_next, qwen2_moe, mixtral, gpt_oss, "
              "deepseek_v2, deepseek_v3, deepseek_v32, kimi_k2, glm4_moe, glm4v_moe_text, llama4, "
              "llama4_text, olmoe, granitemoe, moe. For another mixture of experts write "
              "\"model_type\": \"moe\" with "
              "hidden_size, num_experts, num_experts_per_tok, moe_intermediate_size, "
              "num_hidden_layers and num_attention_heads");
}

TEST(ConfigJsonMistakes, AnotherArchitectureContradictsTheFamily) {
    EXPECT_EQ(message_with("DeepseekV3ForCausalLM", "MixtralForCausalLM"),
              "config.json:3:3: architectures: contradicts model_type \"deepseek_v3\"; allowed: "
              "DeepseekV3ForCausalLM, DeepseekV32ForCausalLM");
}

TEST(ConfigJsonMistakes, AbsentKeyIsNamed) {
    EXPECT_EQ(message_with("  \"n_routed_experts\": 16,\n", ""),
              "config.json: n_routed_experts: is missing, and this model needs it");
}

TEST(ConfigJsonMistakes, NullCountsAsAbsent) {
    EXPECT_EQ(message_with("\"hidden_size\": 64", "\"hidden_size\": null"),
              "config.json:4:3: hidden_size: is null, and this model needs it");
}

TEST(ConfigJsonMistakes, TextInPlaceOfANumberIsShown) {
    EXPECT_EQ(message_with("\"num_experts_per_tok\": 4", "\"num_experts_per_tok\": \"4\""),
              "config.json:7:3: num_experts_per_tok: is \"4\"; allowed: a whole number from 1 to "
              "65536");
}

TEST(ConfigJsonMistakes, FractionAndNegativeNumberAreShown) {
    EXPECT_EQ(message_with("\"hidden_size\": 64", "\"hidden_size\": 64.5"),
              "config.json:4:3: hidden_size: is 64.5; allowed: a whole number from 1 to 1048576");
    EXPECT_EQ(message_with("\"hidden_size\": 64", "\"hidden_size\": -64"),
              "config.json:4:3: hidden_size: is -64; allowed: a whole number from 1 to 1048576");
}

// 65 536 experts of 3 · 2^24 · 2^24 parameters of two bytes are 3 · 2^65 bytes.
TEST(ConfigJsonMistakes, SizesAreThoseThatRunFilesAllow) {
    EXPECT_EQ(
        message_with("\"hidden_size\": 64", "\"hidden_size\": 16777216"),
        "config.json:4:3: hidden_size: is 16777216; allowed: a whole number from 1 to 1048576");
}

TEST(ConfigJsonMistakes, MoreChoicesThanExpertsContradict) {
    EXPECT_EQ(message_with("\"num_experts_per_tok\": 4", "\"num_experts_per_tok\": 17"),
              "config.json:7:3: num_experts_per_tok: is 17; allowed: 1 to 16, the "
              "n_routed_experts (beside the other keys)");
}

TEST(ConfigJsonMistakes, TwoNumbersOfExpertsContradict) {
    EXPECT_EQ(message_with("\"n_group\": 4", "\"num_experts\": 32, \"n_group\": 4"),
              "config.json:9:3: num_experts: is 32; allowed: 16, as n_routed_experts says "
              "(beside the other keys)");
}

TEST(ConfigJsonMistakes, GroupsThatDoNotDivideContradict) {
    EXPECT_EQ(
        message_with("\"n_group\": 4", "\"n_group\": 5"),
        "config.json:9:3: n_group: is 5; allowed: a divisor of 16 experts (beside the other keys)");
    EXPECT_EQ(
        message_with("\"topk_group\": 2", "\"topk_group\": 5"),
        "config.json:10:3: topk_group: is 5; allowed: 1 to 4, the n_group (beside the other keys)");
}

TEST(ConfigJsonMistakes, DuplicateKeyNamesTheFirstLine) {
    EXPECT_EQ(message_with("\"n_group\": 4", "\"hidden_size\": 128, \"n_group\": 4"),
              "config.json:9:3: hidden_size: duplicate key, first at 4:3");
}

TEST(ConfigJsonMistakes, ObjectsOfOneListMayShareKeys) {
    EXPECT_EQ(message_with("\"n_group\": 4", "\"rows\": [{\"a\": 1}, {\"a\": 2}], \"n_group\": 4"),
              "accepted");
}

TEST(ConfigJsonMistakes, NumbersOutOfRangeAreShown) {
    EXPECT_EQ(message_with("\"n_group\": 4", "\"rms_norm_eps\": -1e-6, \"n_group\": 4"),
              "config.json:9:3: rms_norm_eps: is -1e-06; allowed: a number from 0 to 1");
    EXPECT_EQ(
        message_with("\"n_group\": 4", "\"routed_scaling_factor\": 0, \"n_group\": 4"),
        "config.json:9:3: routed_scaling_factor: is 0; allowed: a number from 1e-30 to 1e+30");
}

TEST(ConfigJsonMistakes, GroupsThatTheRouterWouldIgnoreAreRefused) {
    const std::string with_groups = R"({"model_type": "MODEL", "hidden_size": 64,
"num_hidden_layers": 2, "num_experts": 8, "num_local_experts": 8, "num_experts_per_tok": 2,
"moe_intermediate_size": 32, "intermediate_size": 32, "num_attention_heads": 2, "n_group": 4})";
    const auto of = [&](const std::string& type) {
        std::string text = with_groups;
        return message_of(text.replace(text.find("MODEL"), 5, type));
    };

    EXPECT_EQ(of("moe"),
              "config.json: topk_method: is missing, beside groups of experts; allowed: greedy, "
              "group_limited_greedy, noaux_tc");
    EXPECT_EQ(of("mixtral"),
              "config.json:3:81: n_group: is 4; allowed: 1, since routers of this family have no "
              "groups (beside the other keys)");
}

TEST(ConfigJsonMistakes, UnknownWordsAreShown) {
    EXPECT_EQ(message_with("\"n_group\": 4", "\"scoring_func\": \"relu\", \"n_group\": 4"),
              "config.json:9:3: scoring_func: is \"relu\"; allowed: softmax, sigmoid");
    EXPECT_EQ(message_with("\"n_group\": 4", "\"topk_method\": \"best\", \"n_group\": 4"),
              "config.json:9:3: topk_method: is \"best\"; allowed: greedy, group_limited_greedy, "
              "noaux_tc");
    EXPECT_EQ(message_with("\"n_group\": 4", "\"hidden_act\": \"relu\", \"n_group\": 4"),
              "config.json:9:3: hidden_act: is \"relu\"; allowed: silu, the activation of "
              "all families here (beside the other keys)");
}

TEST(ConfigJsonMistakes, WithoutALayerWithExpertsThereIsNothingToRun) {
    EXPECT_EQ(
        message_with("\"n_group\": 4", "\"first_k_dense_replace\": 4, \"n_group\": 4"),
        "config.json: no layer has experts; allowed: keys that leave at least one of 4 layers");
}

TEST(ConfigJsonMistakes, ASectionIsPartOfTheKey) {
    EXPECT_EQ(message_of(R"({"model_type": "llama4",
 "text_config": {"hidden_size": 64, "num_hidden_layers": 2,
  "num_local_experts": true}})"),
              "config.json:3:3: text_config.num_local_experts: is true; allowed: a whole number "
              "from 1 to 65536");
}

TEST(ConfigJsonMistakes, AMissingFileIsNamed) {
    EXPECT_THROW((void)read_model("/no/such/config.json"), UsageError);
}

}  // namespace
}  // namespace tessera::model
