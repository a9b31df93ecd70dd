// SPDX-License-Identifier: Apache-2.0
// Input files that `tessera run --inputs` refuses before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/cli/tessera_process.hpp"
#include "tests/errors/cli/layer_file.hpp"

namespace tessera::test {
namespace {

/// Runs and checks on `layer`, in its folder as l.safetensors. Fails if anything but the refusal is
/// printed.
std::string refusal_of(const Layer& layer, std::vector<std::string> more = {}) {
    const ScratchFolder folder;
    write_layer(layer, folder.file("l.safetensors"));
    std::vector<std::string> arguments{"run", "moe_v2_tiny", "--inputs", "l.safetensors"};
    arguments.insert(arguments.end(), more.begin(), more.end());

    const Ending ending = run_tessera(arguments, folder.path());
    arguments.front() = "check";
    EXPECT_EQ(run_tessera(arguments, folder.path()).err, ending.err);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    return ending.err;
}

struct Case {
    const char* name;
    std::function<void(Layer&)> spoil;
    const char* message;
};

class CliInputFile : public testing::TestWithParam<Case> {};

TEST_P(CliInputFile, IsRefused) {
    Layer layer = make_layer();
    GetParam().spoil(layer);

    EXPECT_EQ(refusal_of(layer), std::string(GetParam().message) + "\n");
}

auto set_id(std::size_t index, std::uint32_t id) {
    return [=](Layer& layer) { layer.at("selected_experts").as<std::uint32_t>()[index] = id; };
}
auto set_mapping(std::size_t index, std::int32_t id) {
    return [=](Layer& layer) { layer.at("device_expert_mapping").as<std::int32_t>()[index] = id; };
}
auto replace(const char* name, const Shape& shape, DataFormat format) {
    return [=](Layer& layer) { layer.at(name) = make_host_tensor(shape, format); };
}

constexpr auto kBf16 = DataFormat::Float16_b;

INSTANTIATE_TEST_SUITE_P(
    Values, CliInputFile,
    testing::Values(
        Case{"ExpertIdOutOfRange", set_id(3, 4),
             "tessera: prepare_moe_routing_tensors: selected_experts(1,1) is 4; expert "
             "ids are 0 to 3 (step prepare_routing)"},
        Case{"NegativeExpertId", set_id(0, 0xFFFFFFFF),
             "tessera: prepare_moe_routing_tensors: selected_experts(0,0) is "
             "4294967295; expert ids are 0 to 3 (step prepare_routing)"},
        Case{"DuplicateExpertInARow", set_id(5, 3),
             "tessera: prepare_moe_routing_tensors: selected_experts(2,1) is 3, as is "
             "(2,0); a token selects an expert "
             "once (step prepare_routing)"},
        Case{"MappedExpertOutOfRange", set_mapping(2, 4),
             "tessera: prepare_moe_routing_tensors: local_experts(0) of device 1 is 4; "
             "expert ids are 0 to 3 (step prepare_routing)"},
        Case{"ExpertMappedTwice", set_mapping(3, 2),
             "tessera: prepare_moe_routing_tensors: local_experts(1) of device 1 is 2, as is "
             "local_experts(0) of device 0; allowed: each expert once (step prepare_routing)"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Types, CliInputFile,
    testing::Values(
        Case{"HiddenStatesAreFloat32", replace("hidden_states", {3, 32}, DataFormat::Float32),
             "tessera: l.safetensors: hidden_states: dtype F32, allowed: BF16"},
        Case{"SelectedExpertsAreInt32", replace("selected_experts", {3, 2}, DataFormat::Int32),
             "tessera: l.safetensors: selected_experts: dtype I32, allowed: U32"},
        Case{"DownWeightsAreFp8", replace("down_weights", {4, 64, 32}, DataFormat::Fp8_e4m3),
             "tessera: l.safetensors: down_weights: dtype F8_E4M3, allowed: BF16"},
        Case{"NoUpWeights", [](Layer& layer) { layer.erase("up_weights"); },
             "tessera: l.safetensors: tensor up_weights is missing; the file has: "
             "device_expert_mapping, selected_experts, down_weights, gate_weights, hidden_states, "
             "routing_weights"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Shapes, CliInputFile,
    testing::Values(
        Case{"HiddenStatesOfRankThree", replace("hidden_states", {1, 3, 32}, kBf16),
             "tessera: l.safetensors: hidden_states: shape (1,3,32), allowed: (3,32)"},
        Case{"NoTokens", replace("hidden_states", {0, 32}, kBf16),
             "tessera: l.safetensors: hidden_states: shape (0,32), allowed: no extent of 0"},
        Case{"OtherNumberOfTokens", replace("selected_experts", {4, 2}, DataFormat::UInt32),
             "tessera: l.safetensors: selected_experts: shape (4,2), allowed: (3,2)"},
        Case{"OtherTopK", replace("routing_weights", {3, 3}, kBf16),
             "tessera: l.safetensors: routing_weights: shape (3,3), allowed: (3,2)"},
        Case{"OtherNumberOfExperts", replace("gate_weights", {5, 32, 64}, kBf16),
             "l.safetensors: device_expert_mapping: params.slots: 2 is out of range, allowed: "
             "ceil_div(experts, D) (3) to experts (5)"},
        Case{"UpUnlikeGate", replace("up_weights", {4, 32, 32}, kBf16),
             "tessera: l.safetensors: up_weights: shape (4,32,32), allowed: (4,32,64)"},
        Case{"DownNotTransposed", replace("down_weights", {4, 32, 64}, kBf16),
             "tessera: l.safetensors: down_weights: shape (4,32,64), allowed: (4,64,32)"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CliInputFileMesh, MustHaveTheFilesDevices) {
    EXPECT_EQ(refusal_of(make_layer(), {"--set", "mesh.shape=[2,2]"}),
              "tessera: l.safetensors: device_expert_mapping: shape (2,2), allowed: (4,2)\n");
}

TEST(CliInputFileShapes, MayNotBeSetToOthers) {
    EXPECT_EQ(refusal_of(make_layer(), {"--set", "params.tokens=4"}),
              "tessera: --set params.tokens=4: params.tokens is 3 in l.safetensors: "
              "hidden_states\n");
}

TEST(CliInputFileOutputs, MayNotBeTheSameFile) {
    EXPECT_EQ(refusal_of(make_layer(), {"--outputs", "./l.safetensors"}),
              "tessera: --outputs ./l.safetensors is the file of --inputs\n");
}

TEST(CliInputFileValues, OfNanAreNoPass) {
    const ScratchFolder folder;
    Layer layer = make_layer();
    std::ranges::fill(layer.at("hidden_states").as<std::uint16_t>(), std::uint16_t{0x7FC0});
    write_layer(layer, folder.file("l.safetensors"));

    const Ending ending =
        run_tessera({"run", "moe_v2_tiny", "--inputs", "l.safetensors", "--quiet"}, folder.path());

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.out, testing::StartsWith("  NaN: 96 of 96 elements of input hidden_states, "
                                                "first at (0,0)\n"));
    EXPECT_THAT(ending.out,
                testing::HasSubstr("\n  gate: none of the 384 values is finite, nothing was "
                                   "compared\n  up: none of the 384 values is finite"));
    EXPECT_THAT(ending.out, testing::EndsWith("; 7 of 11 steps checked: gate, up, silu, mul, "
                                              "down, local_reduce, all_reduce\n"));
}

TEST(CliInputFileValues, OfOneNanPassAndAreNamed) {
    const ScratchFolder folder;
    Layer layer = make_layer();
    layer.at("routing_weights").as<std::uint16_t>()[5] = 0x7FC0;
    write_layer(layer, folder.file("l.safetensors"));

    const Ending ending =
        run_tessera({"run", "moe_v2_tiny", "--inputs", "l.safetensors", "--quiet"}, folder.path());

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, testing::StartsWith("  NaN: 1 of 6 elements of input routing_weights, "
                                                "first at (2,1)\n"));
    EXPECT_THAT(ending.out,
                testing::HasSubstr("\nPASS with NaN in routing_weights, routed_token_weights, "
                                   "local, final; 11 of 11 steps checked"));
}

TEST(CliInputFileNames, ThatNoStepReadsAreShown) {
    const ScratchFolder folder;
    Layer layer = make_layer();
    layer.emplace("staged.final", make_host_tensor({2}, kBf16));
    write_layer(layer, folder.file("l.safetensors"));

    const Ending ending =
        run_tessera({"run", "moe_v2_tiny", "--inputs", "l.safetensors", "--quiet"}, folder.path());

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_EQ(ending.err, "l.safetensors: the run does not read staged.final\n");
}

TEST(CliInputFileNames, ThatAreALetterOffAreRefused) {
    Layer layer = make_layer();
    layer.emplace("up_weight", make_host_tensor({2}, kBf16));

    EXPECT_EQ(refusal_of(layer),
              "tessera: l.safetensors: up_weight is not a tensor of the run; did you mean "
              "up_weights?\n");
}

std::string refusal_of_bytes(const std::string& bytes) {
    const ScratchFolder folder;
    (void)folder.write("l.safetensors", bytes);
    const Ending ending =
        run_tessera({"run", "moe_v2_tiny", "--inputs", "l.safetensors"}, folder.path());
    EXPECT_EQ(ending.exit_code, 2);
    return ending.err;
}

TEST(CliInputFileHeader, MayNotBeTruncated) {
    EXPECT_EQ(refusal_of_bytes(bytes_of(golden_path("v2_d1_basic")).substr(0, 5)),
              "tessera: l.safetensors: 5 bytes; a safetensors file starts with 8 bytes of header "
              "length\n");
    EXPECT_EQ(
        refusal_of_bytes(bytes_of(golden_path("v2_d1_basic")).substr(0, 1000)),
        "tessera: l.safetensors: header length 2456 goes beyond the file, which has 992 bytes "
        "behind the length\n");
}

TEST(CliInputFileHeader, IsNoText) {
    EXPECT_EQ(
        refusal_of_bytes("mesh: {device: wormhole_n150}\n"),
        "tessera: l.safetensors: begins with the text 'mesh: {d'; allowed: a safetensors file, "
        "which begins with 8 bytes of header length\n");
}

TEST(CliInputFileHeader, MayNotPromiseMoreThanTheFileHolds) {
    const std::string whole = bytes_of(golden_path("v2_d1_basic"));

    EXPECT_EQ(
        refusal_of_bytes(whole.substr(0, whole.size() - 1)),
        "tessera: l.safetensors: tensor staged.final: data_offsets [362144, 366240] lie outside "
        "the 366239 bytes of data\n");
}

TEST(CliInputFileHeader, MayNotLieAboutSizes) {
    std::string bytes = bytes_of(golden_path("v2_d1_basic"));
    const std::string shape = "\"shape\":[32,64]";
    bytes.replace(bytes.find(shape), shape.size(), "\"shape\":[32,65]");

    EXPECT_EQ(
        refusal_of_bytes(bytes),
        "tessera: l.safetensors: tensor hidden_states: data_offsets [0, 4096] hold 4096 bytes, "
        "but shape (32,65) of BF16 takes 4160\n");
}

TEST(CliInputFilePath, MustExist) {
    const Ending ending = run_tessera({"run", "moe_v2_tiny", "--inputs", "/nowhere.safetensors"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: /nowhere.safetensors: cannot open: No such file or directory\n");
}

}  // namespace
}  // namespace tessera::test
