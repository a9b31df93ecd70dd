// SPDX-License-Identifier: Apache-2.0
// Sections quantization_config as checkpoints publish them, and the storage that they mean.
#include "runtime/model/published_weights.hpp"

#include <gtest/gtest.h>

#include <fstream>
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
    {"modelopt_nvfp4_of_32",
     R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "group_size": 32})", "none", 0, false,
     "group_size of NVFP4 is 32, allowed: 16"},
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
     COMPRESSED(R"("num_bits": 8, "type": "int", "strategy": "channel")",
                R"({"num_bits": 8, "type": "int", "dynamic": true})"),
     "int8_channel"},
    {"int8_with_int4_activations",
     COMPRESSED(R"("num_bits": 8, "type": "int", "strategy": "channel")", R"({"num_bits": 4})"),
     "none", 0, false,
     "input_activations are int of 4 bits with weights of int of 8 bits, allowed: int of 8 bits or "
     "none"},
    {"int4_with_int8_activations",
     COMPRESSED(R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 128)",
                R"({"num_bits": 8, "type": "int"})"),
     "none", 0, false,
     "input_activations are int of 8 bits with weights of int of 4 bits, allowed: none"},
    {"fp8_with_int8_activations",
     COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "channel")",
                R"({"num_bits": 8, "type": "int"})"),
     "none", 0, false,
     "input_activations are int of 8 bits with weights of float of 8 bits, allowed: float of 8 "
     "bits or none"},
    {"mxfp4_with_8_bit_activations",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "group", "group_size": 32)",
                R"({"num_bits": 8, "type": "float"})"),
     "none", 0, false,
     "input_activations are float of 8 bits with weights of float of 4 bits, allowed: float of 4 "
     "bits or none"},
    {"nvfp4_with_8_bit_activations",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)",
                R"({"num_bits": 8, "type": "float"})"),
     "none", 0, false,
     "input_activations are float of 8 bits with weights of float of 4 bits, allowed: float of 4 "
     "bits or none"},
    {"floats_without_group",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "group")", "null"), "none", 0, false,
     "group_size of 4-bit floats is missing, allowed: 16, 32"},
    {"int8_of_weights",
     COMPRESSED(R"("num_bits": 8, "type": "int", "strategy": "channel")", "null"), "int8_weights"},
    {"fp8_of_channels",
     COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "channel")",
                R"({"num_bits": 8, "type": "float", "dynamic": true})"),
     "fp8_channel"},
    {"fp8_of_tensors",
     COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "tensor")",
                R"({"num_bits": 8, "type": "float", "dynamic": false})"),
     "fp8_static"},
    {"fp8_of_blocks",
     COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "block", )"
                R"("block_structure": [128, 128])",
                R"({"num_bits": 8, "type": "float", "dynamic": true})"),
     "fp8_block"},
    {"nvfp4",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)",
                R"({"num_bits": 4, "type": "float", "dynamic": "local"})"),
     "nvfp4"},
    {"nvfp4_of_weights",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16)",
                "null"),
     "nvfp4_weights"},
    {"mxfp4_of_both",
     COMPRESSED(R"("num_bits": 4, "type": "float", "strategy": "group", "group_size": 32)",
                R"({"num_bits": 4, "type": "float", "dynamic": true})"),
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

/// Returns the message of a call that must fail, from the name of the file.
template <class Call>
std::string message_of(const Call& call) {
    try {
        (void)call();
    } catch (const UsageError& error) {
        const std::string message = error.what();
        return message.substr(message.find("config.json"));
    }
    return "accepted";
}

TEST(PublishedWeights, AMistakeNamesItsPlace) {
    EXPECT_EQ(message_of(
                  [] { return read("{\n \"quant_method\": \"awq\",\n \"group_size\": \"all\"}"); }),
              "config.json:3:2: group_size: is \"all\"; allowed: a number");
    EXPECT_EQ(message_of([] {
                  return read(
                      "{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\",\n"
                      " \"group_size\": \"x\"}");
              }),
              "config.json:2:2: group_size: is \"x\"; allowed: a whole number from 1 to 16777216");
}

TEST(PublishedWeights, SayThatTheRunRoundsActivationsThatFilesLeaveAlone) {
    EXPECT_EQ(
        read(COMPRESSED(R"("num_bits": 8, "type": "float", "strategy": "channel")", "null")).note,
        "input_activations is absent; the run takes activations as float of 8 bits, which "
        "fp8_channel has");
}

/// Returns the text of Granite with weights of NVFP4, of which a list leaves out modules.
std::string granite_text(const std::string& list, const std::string& entry) {
    std::ifstream shipped(std::string(TESSERA_SOURCE_DIR) +
                          "/configs/models/granite-3.0-1b-a400m.json");
    nlohmann::json config = nlohmann::json::parse(shipped);
    config["quantization_config"] = {{"quant_method", "modelopt"},
                                     {"quant_algo", "NVFP4"},
                                     {list, nlohmann::json::array({"lm_head", entry})}};
    return config.dump();
}

ReadModel granite_without(const std::string& list, const std::string& entry) {
    const ScratchFolder folder;
    return read_model(folder.write("config.json", granite_text(list, entry)));
}

std::vector<std::string> quantisations(const ReadModel& read, std::uint32_t layer) {
    LayerDemand demand;
    demand.layer = layer;
    std::vector<std::string> words{quantisation_of(read, demand)};
    for (const std::string& assumption : layer_run(read, demand).assumptions) {
        if (assumption.find("bfloat16") != std::string::npos) {
            words.push_back(assumption);
        }
    }
    return words;
}

const std::vector<std::string> kCoded{
    "nvfp4", "experts have codes as published (nvfp4); bfloat16: --set params.quantisation=none"};

std::vector<std::string> left_out_by(const std::string& entry) {
    return {"none",
            "published weights are quantised (modelopt), but " + entry + "; experts are bfloat16"};
}

TEST(PublishedWeights, OfExpertsThatAListCoversAreBfloat16) {
    const auto first = [](const char* list, const char* entry) {
        return quantisations(granite_without(list, entry), 0);
    };

    EXPECT_EQ(first("exclude_modules", "*experts*"),
              left_out_by("exclude_modules has \"*experts*\""));
    EXPECT_EQ(first("ignore", "re:.*mlp.experts.*"),
              left_out_by("ignore has \"re:.*mlp.experts.*\""));
    EXPECT_EQ(first("modules_to_not_convert", "model.layers.*.mlp.experts*"),
              left_out_by("modules_to_not_convert has \"model.layers.*.mlp.experts*\""));
    EXPECT_EQ(first("ignored_layers", "model.layers.0.block_sparse_moe"),
              left_out_by("ignored_layers has \"model.layers.0.block_sparse_moe\""));
}

TEST(PublishedWeights, OfExpertsThatNoListCoversKeepTheirCodes) {
    for (const char* entry :
         {"*self_attn*", "re:.*mlp.gate$", "re:mlp.experts", "mlp.gate", "*.shared_experts*",
          "re:.*block_sparse_moe.router.*", "model.layers.*.block_sparse_moe.router"}) {
        EXPECT_EQ(quantisations(granite_without("ignore", entry), 0), kCoded) << entry;
    }
}

TEST(PublishedWeights, OfALayerThatAListNamesAreBfloat16) {
    const ReadModel read_file = granite_without("ignore", "model.layers.1.mlp.experts");

    EXPECT_EQ(quantisations(read_file, 1),
              left_out_by("ignore has \"model.layers.1.mlp.experts\""));
    EXPECT_EQ(quantisations(read_file, 10), kCoded);
}

TEST(PublishedWeights, AnExpressionThatCannotBeReadNamesItsPlace) {
    const std::size_t column = granite_text("ignore", "re:(experts").find("\"ignore\"") + 1;

    EXPECT_EQ(message_of([] { return granite_without("ignore", "re:(experts"); }),
              "config.json:1:" + std::to_string(column) +
                  ": quantization_config.ignore: has \"re:(experts\"; allowed: names, globs with "
                  "*, and re: with a regular expression of ECMAScript");
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
