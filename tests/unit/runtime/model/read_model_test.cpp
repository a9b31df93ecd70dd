// SPDX-License-Identifier: Apache-2.0
// Numbers of the shipped models, against tests/golden/models.json, which was derived independently
// of this project. A list of experts per device is stored as its first, its last and its sum.
#include "runtime/model/read_model.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/case_name.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::model {
namespace {

using nlohmann::ordered_json;

const std::string kRoot = TESSERA_SOURCE_DIR;

ordered_json golden() {
    return ordered_json::parse(std::ifstream(kRoot + "/tests/golden/models.json"));
}

ReadModel shipped(const std::string& name) {
    return read_model(kRoot + "/configs/models/" + name + ".json");
}

std::vector<std::string> golden_models() {
    std::vector<std::string> names;
    const ordered_json models = golden();
    for (const auto& [name, expected] : models.items()) {
        names.push_back(name);
    }
    return names;
}

/// Returns the values that do not depend on the number of devices, and those for 8 and 32 devices,
/// under the names of the golden file.
ordered_json derived(const MoeModel& model) {
    ordered_json all = to_json(model, 8);
    for (const std::uint32_t devices : {8U, 32U}) {
        const ordered_json values = to_json(model, devices);
        const auto each = experts_on(model, devices);
        all["experts_per_device_" + std::to_string(devices)] = {
            each.front(), each.back(), std::accumulate(each.begin(), each.end(), 0U)};
        all["bf16_expert_bytes_of_largest_device_" + std::to_string(devices)] =
            values["bf16_expert_bytes_of_largest_device"];
    }
    return all;
}

class GoldenModel : public testing::TestWithParam<std::string> {};

TEST_P(GoldenModel, HasTheDerivedValues) {
    const ordered_json values = derived(shipped(GetParam()).model);
    const ordered_json models = golden();

    for (const auto& [key, expected] : models[GetParam()].items()) {
        ASSERT_TRUE(values.contains(key)) << key;
        if (expected.is_number_float()) {
            EXPECT_DOUBLE_EQ(values[key].get<double>(), expected.get<double>()) << key;
        } else {
            EXPECT_EQ(values[key], expected) << key;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenModel, testing::ValuesIn(golden_models()),
                         [](const auto& model) { return testing_support::case_name(model.param); });

// Layers of published models. By the report of Llama 4, every second layer of Maverick has experts.
// GLM-4.5 has three dense layers, DeepSeek-V3 three.
TEST(ReadModel, CountsLayersWithoutExperts) {
    const auto dense = [](const std::string& name) {
        const MoeModel model = shipped(name).model;
        return model.layers - model.moe_layers.size();
    };

    EXPECT_EQ(dense("llama-4-maverick"), 24U);
    EXPECT_EQ(dense("glm-4.5"), 3U);
    EXPECT_EQ(dense("deepseek-v3.2"), 3U);
    EXPECT_EQ(shipped("llama-4-maverick").model.moe_layers.front(), 1U);
}

// Sizes of one expert from the papers: 235B has 128 experts of 3·4096·1536 parameters in 94 layers,
// which are 227 B of its 235 B parameters.
TEST(ReadModel, AddsUpToTheParametersOfTheModel) {
    const MoeModel model = shipped("qwen3-235b-a22b").model;

    const double parameters = static_cast<double>(expert_bytes(model)) / 2 * model.experts *
                              static_cast<double>(model.moe_layers.size());

    EXPECT_NEAR(parameters, 227.1e9, 0.1e9);
}

// 256 experts of 3·7168·2048 parameters take 21 GiB in bfloat16. Two devices of 12 GiB hold them.
TEST(MoeModel, NamesTheDevicesThatHoldALayer) {
    const MoeModel model = shipped("deepseek-v3").model;
    constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30U;

    EXPECT_EQ(layer_bytes(model, 1), (256ULL + 1) * 3 * 7168 * 2048 * 2 + 256ULL * 7168 * 2);
    EXPECT_EQ(devices_that_hold(model, 12 * kGibibyte), 2U);
    EXPECT_EQ(devices_that_hold(model, 24 * kGibibyte), 1U);
    EXPECT_EQ(devices_that_hold(model, 1), std::nullopt);
}

TEST(ReadModel, NotesTheKeyOfEachValueAndTheDefaults) {
    const ReadModel read = shipped("mixtral-8x7b");

    const auto experts = std::ranges::find(read.taken, "experts", &TakenValue::name);
    ASSERT_NE(experts, read.taken.end());
    EXPECT_EQ(experts->key, "num_local_experts");
    EXPECT_EQ(experts->value, "8");
    EXPECT_EQ(read.name, "mixtral-8x7b");
    EXPECT_EQ(read.assumptions.front(),
              "attention_bias is absent: false, the default of the model's class");
}

/// Returns a model whose config.json has the shipped file's keys but those.
ReadModel shipped_without(const std::string& name, const std::vector<std::string>& keys) {
    auto json = ordered_json::parse(std::ifstream(kRoot + "/configs/models/" + name + ".json"));
    for (const std::string& key : keys) {
        json.erase(key);
    }
    const ScratchFolder folder;
    (void)folder.write("config.json", json.dump());
    return read_model(folder.file("config.json"));
}

// transformers, DeepseekV3Config.
TEST(ReadModel, GivesAbsentKeysTheDefaultsOfTheClass) {
    const MoeModel model =
        shipped_without("deepseek-v3", {"n_group", "topk_group", "routed_scaling_factor",
                                        "n_shared_experts", "q_lora_rank", "rms_norm_eps"})
            .model;

    EXPECT_EQ(model.router.groups, 8U);
    EXPECT_EQ(model.router.groups_kept, 4U);
    EXPECT_EQ(model.router.scaling_factor, 2.5);
    EXPECT_EQ(model.shared.count, 1U);
    EXPECT_EQ(model.attention.latent.query, 1536U);
    EXPECT_EQ(model.attention.norm_epsilon, 1e-6);
}

// transformers, MixtralConfig.
TEST(ReadModel, TakesTheDefaultsOfTheFamily) {
    const MoeModel model =
        shipped_without("mixtral-8x7b", {"rope_theta", "rms_norm_eps", "num_key_value_heads"})
            .model;

    EXPECT_EQ(model.attention.kv_heads, 8U);
    EXPECT_EQ(model.attention.rope_theta, 1e6);
    EXPECT_EQ(model.attention.norm_epsilon, 1e-5);
}

// DeepSeek-V2-Lite has "q_lora_rank": null: its queries have no latent.
TEST(ReadModel, TakesNullForNone) {
    EXPECT_EQ(shipped("deepseek-v2-lite").model.attention.latent.query, 0U);
}

}  // namespace
}  // namespace tessera::model
