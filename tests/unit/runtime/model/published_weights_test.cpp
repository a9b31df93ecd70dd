// SPDX-License-Identifier: Apache-2.0
// Sections quantization_config as checkpoints publish them, and the storage that they mean.
#include "runtime/model/published_weights.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/model/config_json.hpp"
#include "runtime/model/layer_run.hpp"
#include "runtime/model/read_model.hpp"
#include "tessera/errors.hpp"
#include "tests/case_name.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::model {
namespace {

/// A section, and params.quantisation with columns of a group and zero points, or the reason why
/// the layer takes bfloat16.
struct Published {
    const char* name;
    const char* section;
    const char* quantisation;
    std::uint32_t group = 0;
    bool has_zero_points = false;
    const char* untaken = "";
    friend void PrintTo(const Published& form, std::ostream* out) { *out << form.name; }
};

PublishedWeights read(const std::string& section) {
    const ScratchFolder folder;
    return read_published_weights(ConfigJson(folder.write("config.json", section)));
}

class PublishedForms : public testing::TestWithParam<Published> {};

TEST_P(PublishedForms, HaveTheQuantisationOfTheirKeys) {
    const Published& form = GetParam();

    const PublishedWeights weights = read(form.section);

    EXPECT_EQ(weights.quantisation, form.quantisation);
    EXPECT_EQ(weights.group, form.group);
    EXPECT_EQ(weights.has_zero_points, form.has_zero_points);
    EXPECT_EQ(weights.untaken, form.untaken);
}

/// Returns a section of compressed-tensors for all linear layers.
#define COMPRESSED(weights, inputs)                                                      \
    R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets":)" \
    R"( ["Linear"], "weights": {)" weights R"(}, "input_activations": )" inputs R"(}}})"

// Keys as Hugging Face's models have them; the layouts follow from the quantisers' documentation.
const Published kForms[]{
    {"fp8_blocks", R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "fp8_block"},
    {"fp8_other_blocks", R"({"quant_method": "fp8", "weight_block_size": [64, 128]})", "none", 0,
     false, "weight_block_size is [64, 128], allowed: [128, 128]"},
    {"fp8_dynamic", R"({"quant_method": "fp8", "activation_scheme": "dynamic"})", "fp8_tensor"},
    {"fp8_static", R"({"quant_method": "fp8", "activation_scheme": "static"})", "fp8_static"},
    {"fbgemm", R"({"quant_method": "fbgemm_fp8"})", "fp8_channel"},
    {"mxfp4", R"({"quant_method": "mxfp4"})", "mxfp4"},
    {"awq", R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true})",
     "int4_group", 128, true},
    {"gptq", R"({"quant_method": "gptq", "bits": 4, "group_size": 64, "sym": true})", "int4_group",
     64},
    {"gptq_all_columns", R"({"quant_method": "gptq", "bits": 4, "group_size": -1, "sym": false})",
     "int4_group", 0, true},
    {"gptq_without_group", R"({"quant_method": "gptq", "bits": 4})", "int4_group", 128},
    {"awq_without_group", R"({"quant_method": "awq", "bits": 4})", "int4_group", 128, true},
    {"gptq_8_bits", R"({"quant_method": "gptq", "bits": 8, "group_size": 128})", "none", 0, false,
     "codes of 8 bits share scales in groups, allowed: 4 bits"},
    {"modelopt_fp8", R"({"quant_method": "modelopt", "quant_algo": "FP8"})", "fp8_static"},
    {"modelopt_nvfp4", R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", "nvfp4"},
    {"modelopt_w4a8", R"({"quant_method": "modelopt", "quant_algo": "W4A8_AWQ"})", "none", 0, false,
     "quant_algo is W4A8_AWQ, allowed: FP8, NVFP4"},
    {"other", R"({"quant_method": "bitsandbytes"})", "none", 0, false,
     "quant_method is bitsandbytes, allowed: fp8, fbgemm_fp8, compressed-tensors, awq, gptq, "
     "auto-round, mxfp4, modelopt, modelopt_fp4"},
    {"int4",
     COMPRESSED(R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128)", "null"),
     "int4_group", 128},
    {"int4_of_32",
     COMPRESSED(R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 32)", "null"),
     "int4_group", 32},
    {"int4_of_16",
     COMPRESSED(R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 16)", "null"),
     "none", 0, false, "group_size of int4 codes is 16, allowed: 32, 64, 128, 256 or -1"},
    {"int8",
     COMPRESSED(R"("num_bits": 8, "type": "int", "strategy": "channel")", R"({"dynamic": true})"),
     "int8_channel"},
    {"int8_of_weights",
     COMPRESSED(R"("num_bits": 8, "type": "int", "strategy": "channel")", "null"), "int8_weights"},
    {"fp8_of_channels",
     COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "channel")", R"({"dynamic": true})"),
     "fp8_channel"},
    {"fp8_of_tensors",
     COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "tensor")", R"({"dynamic": false})"),
     "fp8_static"},
    {"fp8_of_blocks",
     COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "block", )"
                R"("block_structure": [128, 128])",
                R"({"dynamic": true})"),
     "fp8_block"},
    {"nvfp4",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)",
                R"({"dynamic": "local"})"),
     "nvfp4"},
    {"nvfp4_of_weights",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)",
                "null"),
     "nvfp4_weights"},
    {"mxfp4_of_both",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "group", "group_size": 32)",
                R"({"dynamic": true})"),
     "mxfp4_w4a4"},
    {"floats_in_groups_of_64",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "group", "group_size": 64)", "null"),
     "none", 0, false, "group_size of 4-bit floats is 64, allowed: 16, 32"},
};

INSTANTIATE_TEST_SUITE_P(Checkpoints, PublishedForms, testing::ValuesIn(kForms),
                         [](const auto& form) {
                             return testing_support::case_name(form.param.name);
                         });

TEST(PublishedWeights, OfExpertsHaveAGroupOfTheirOwn) {
    const PublishedWeights weights = read(R"({"quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8,
        "type": "float", "strategy": "channel"}}, "group_1": {"targets": ["re:.*mlp.experts.*"],
        "weights": {"num_bits": 4, "type": "int", "group_size": 64, "symmetric": false}}}})");

    EXPECT_EQ(weights.quantisation, "int4_group");
    EXPECT_EQ(weights.group, 64U);
    EXPECT_TRUE(weights.has_zero_points);
}

TEST(PublishedWeights, AMistakeNamesItsPlace) {
    try {
        (void)read("{\n \"quant_method\": \"awq\",\n \"group_size\": \"all\"}");
        FAIL() << "accepted";
    } catch (const UsageError& error) {
        const std::string message = error.what();
        EXPECT_EQ(message.substr(message.find("config.json")),
                  "config.json:3:2: group_size: is \"all\"; allowed: a number");
    }
}

// 256 experts of 3 · 7168 · 2048 codes of one byte, with a float32 scale for 128 × 128, the router
// and a shared expert in bfloat16: 10.6 GiB, which one Wormhole of 12 GiB holds, unlike bfloat16.
TEST(PublishedWeights, DecideTheBytesOfALayer) {
    const ReadModel read_file =
        read_model(std::string(TESSERA_SOURCE_DIR) + "/configs/models/deepseek-v3.json");
    const std::uint64_t expert = 3ULL * 7168 * 2048;
    const std::uint64_t bfloat16 = 2 * expert + 256ULL * 7168 * 2;
    constexpr std::uint64_t kWormhole = 12ULL << 30U;

    EXPECT_EQ(layer_bytes(read_file.model, 1, quantisation_of(read_file, {})),
              256 * (expert + expert / (128 * 128) * 4) + bfloat16);
    EXPECT_EQ(devices_that_hold(read_file.model, kWormhole, "fp8_block"), 1U);
    EXPECT_EQ(devices_that_hold(read_file.model, kWormhole, "none"), 2U);
}

}  // namespace
}  // namespace tessera::model
