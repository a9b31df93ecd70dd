// SPDX-License-Identifier: Apache-2.0
// `tessera model --weights` on files whose experts are codes. All weights of a kind have the same
// value, so that each output follows by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "emu/base/bf16.hpp"
#include "emu/base/tensor_file/safetensors.hpp"
#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kHidden = 64;
constexpr std::uint32_t kIntermediate = 32;
constexpr std::uint32_t kTokens = 4;

/// A model of one expert under Mixtral's names, which each token chooses with weight 1.
class CliModelCodes : public ::testing::Test {
protected:
    CliModelCodes() {
        (void)folder_.write("config.json", R"({"model_type": "mixtral", "hidden_size": 64,
          "num_hidden_layers": 1, "num_local_experts": 1, "num_experts_per_tok": 1,
          "intermediate_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1})");
        add(kMoe + "gate.weight", {1, kHidden}, DataFormat::Float16_b, std::byte{0});
    }

    /// Adds a tensor whose bytes are all equal.
    void add(const std::string& name, Shape shape, DataFormat format, std::byte byte) {
        HostTensor tensor = make_host_tensor(std::move(shape), format);
        std::ranges::fill(tensor.bytes, byte);
        tensors_[name] = std::move(tensor);
    }
    void add_numbers(const std::string& name, Shape shape, float value) {
        HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::Float32);
        std::ranges::fill(tensor.as<float>(), value);
        tensors_[name] = std::move(tensor);
    }
    /// Adds a matrix of NVFP4 whose columns alternate between 1 and 0.5, times `factor`.
    void add_nvfp4(const std::string& name, std::uint32_t rows, std::uint32_t columns,
                   float factor) {
        constexpr std::byte kTwoCodes{0x12};
        constexpr std::byte kTwo{0x40};
        add(kExpert + name + ".weight", {rows, columns / 2}, DataFormat::UInt8, kTwoCodes);
        add(kExpert + name + ".weight_scale", {rows, columns / 16}, DataFormat::Fp8_e4m3, kTwo);
        add_numbers(kExpert + name + ".weight_scale_2", {1}, factor / 2);
        add_numbers(kExpert + name + ".input_scale", {1}, 0.01F);
    }
    /// Adds a matrix of e4m3 codes of 1 with a scale for each row.
    void add_fp8_rows(const std::string& name, std::uint32_t rows, std::uint32_t columns,
                      float scale) {
        constexpr std::byte kOne{0x38};
        add(kExpert + name + ".weight", {rows, columns}, DataFormat::Fp8_e4m3, kOne);
        add_numbers(kExpert + name + ".weight_scale", {rows, 1}, scale);
    }

    /// Adds a matrix of codes of 1 with one scale for all.
    void add_scaled(const std::string& name, std::uint32_t rows, std::uint32_t columns, float scale,
                    DataFormat format = DataFormat::Fp8_e4m3) {
        constexpr std::byte kOne{0x38};
        add(kExpert + name + ".weight", {rows, columns}, format,
            format == DataFormat::Fp8_e4m3 ? kOne : std::byte{1});
        add_numbers(kExpert + name + ".weight_scale", {1}, scale);
    }
    void add_input_scales() {
        for (const char* name : {"w1", "w3", "w2"}) {
            add_numbers(kExpert + name + ".input_scale", {1}, 1.F / 128);
        }
    }

    /// Runs the layer for tokens of ones.
    [[nodiscard]] Ending run(const std::vector<std::string>& more = {}) {
        std::map<std::string, const HostTensor*> stored;
        for (const auto& [name, tensor] : tensors_) {
            stored[name] = &tensor;
        }
        write_safetensors(folder_.file("model.safetensors"), stored);
        if (have_signs_) {
            std::string bytes = bytes_of(folder_.file("model.safetensors"));
            for (std::size_t at = bytes.find("\"U8\""); at != std::string::npos;
                 at = bytes.find("\"U8\"", at)) {
                bytes.replace(at, 4, "\"I8\"");
            }
            (void)folder_.write("model.safetensors", bytes);
        }
        HostTensor tokens = make_host_tensor({kTokens, kHidden}, DataFormat::Float16_b);
        std::ranges::fill(tokens.as<std::uint16_t>(), float_to_bf16(1.F));
        const HostTensor map = make_host_tensor({1}, DataFormat::Int32);
        write_safetensors(folder_.file("in.safetensors"),
                          {{"hidden_states", &tokens}, {"r0.expert_map", &map}});
        std::vector<std::string> command{
            "model",          ".",         "--weights",      ".",
            "--mesh",         "1x1",       "--tokens",       std::to_string(kTokens),
            "--out",          "run.yaml",  "--force",        "--inputs",
            "in.safetensors", "--outputs", "out.safetensors"};
        command.insert(command.end(), more.begin(), more.end());
        return run_tessera(command, folder_.path());
    }
    [[nodiscard]] std::string run_file() const { return bytes_of(folder_.file("run.yaml")); }
    [[nodiscard]] float output() const {
        const HostTensor out = SafetensorsFile(folder_.file("out.safetensors")).read("d0.routed");
        return bf16_to_float(out.as<std::uint16_t>()[0]);
    }

    static inline const std::string kMoe = "model.layers.0.block_sparse_moe.";
    static inline const std::string kExpert = kMoe + "experts.0.";
    ScratchFolder folder_;
    std::map<std::string, HostTensor> tensors_;
    bool have_signs_ =
        false;  ///< whether bytes are integers with a sign, for which there is no format
};

float silu(float x) {
    return x / (1 + std::exp(-x));
}

// A row of gate and up has 32 columns of 1 and 32 of 0.5, times 2^-6: 0.75. One of down has half as
// many, times 2^-5.
TEST_F(CliModelCodes, Nvfp4WithBfloat16ActivationsGivesTheLayerByHand) {
    add_nvfp4("w1", kIntermediate, kHidden, 1.F / 64);
    add_nvfp4("w3", kIntermediate, kHidden, 1.F / 64);
    add_nvfp4("w2", kHidden, kIntermediate, 1.F / 32);
    const float expected = silu(0.75F) * 0.75F * 0.75F;

    for (const std::string quantisation : {"nvfp4_weights", "none"}) {
        const Ending ending = run({"--set", "params.quantisation=" + quantisation});

        ASSERT_EQ(ending.exit_code, 0) << ending.err;
        EXPECT_NEAR(output(), expected, expected / 128) << quantisation;
    }
}

TEST_F(CliModelCodes, Nvfp4KeepsCodesScalesAndNumbersOfActivations) {
    add_nvfp4("w1", kIntermediate, kHidden, 1.F / 64);
    add_nvfp4("w3", kIntermediate, kHidden, 1.F / 64);
    add_nvfp4("w2", kHidden, kIntermediate, 1.F / 32);

    const Ending ending = run();

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("PASS"));
    EXPECT_THAT(run_file(), HasSubstr("quantisation: nvfp4 "));
    EXPECT_THAT(run_file(), HasSubstr("w3.input_scale\"], largest: true}"));
    // Codes of 4 bits of activations lose up to a sixth.
    EXPECT_NEAR(output(), silu(0.75F) * 0.75F * 0.75F, 0.06F);
    const Ending refused = run({"--set", "params.quantisation=mxfp4"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(
        refused.err,
        "tessera: --weights .: experts are stored as nvfp4, but params.quantisation is mxfp4; "
        "allowed: nvfp4, nvfp4_weights, or none, which converts them to bfloat16\n");
}

// A row of gate and up has 64 columns of 2^-6: 1. One of down has 32 of 2^-6.
TEST_F(CliModelCodes, Fp8WithAScaleForEachRowKeepsItsCodes) {
    add_fp8_rows("w1", kIntermediate, kHidden, 1.F / 64);
    add_fp8_rows("w3", kIntermediate, kHidden, 1.F / 64);
    add_fp8_rows("w2", kHidden, kIntermediate, 1.F / 64);

    const Ending ending = run();

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(run_file(), HasSubstr("quantisation: fp8_channel "));
    EXPECT_NEAR(output(), silu(1.F) / 2, 0.003F);
}

// A row of gate and up has 64 columns of 2^-6: 1. One of down has 32 of 2^-6. Activations are 2^-7
// times an e4m3 code.
TEST_F(CliModelCodes, Fp8WithOneScaleAMatrixKeepsItsCodes) {
    add_scaled("w1", kIntermediate, kHidden, 1.F / 64);
    add_scaled("w3", kIntermediate, kHidden, 1.F / 64);
    add_scaled("w2", kHidden, kIntermediate, 1.F / 64);

    const Ending dynamic = run();

    ASSERT_EQ(dynamic.exit_code, 0) << dynamic.err;
    EXPECT_THAT(run_file(), HasSubstr("quantisation: fp8_tensor "));
    EXPECT_NEAR(output(), silu(1.F) / 2, 0.003F);
    add_input_scales();
    const Ending fixed = run();
    ASSERT_EQ(fixed.exit_code, 0) << fixed.err;
    EXPECT_THAT(run_file(), HasSubstr("quantisation: fp8_static "));
    EXPECT_NEAR(output(), silu(1.F) / 2, 0.03F);
}

// A row of up has 2.
TEST_F(CliModelCodes, Fp8WithOtherScalesOfGateAndUpIsConvertedToBfloat16) {
    add_scaled("w1", kIntermediate, kHidden, 1.F / 64);
    add_scaled("w3", kIntermediate, kHidden, 1.F / 32);
    add_scaled("w2", kHidden, kIntermediate, 1.F / 64);

    const Ending ending = run({"--full"});

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("fp8 weights are multiplied by their scales and rounded to "
                                      "bfloat16: gate and up of an expert have different scales"));
    EXPECT_NEAR(output(), silu(1.F), 0.005F);
}

TEST_F(CliModelCodes, Int8IsConvertedToBfloat16) {
    add_scaled("w1", kIntermediate, kHidden, 1.F / 64, DataFormat::UInt8);
    add_scaled("w3", kIntermediate, kHidden, 1.F / 64, DataFormat::UInt8);
    add_scaled("w2", kHidden, kIntermediate, -1.F / 64, DataFormat::UInt8);
    tensors_[kExpert + "w2.weight"].bytes.assign(kHidden * kIntermediate, std::byte{0xFE});  // −2
    have_signs_ = true;

    const Ending ending = run({"--full"});

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("int8 weights are multiplied by their scales and rounded to "
                                      "bfloat16"));
    EXPECT_NEAR(output(), silu(1.F), 0.005F);
}

}  // namespace
}  // namespace tessera::test
