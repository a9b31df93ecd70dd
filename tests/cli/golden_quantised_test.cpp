// SPDX-License-Identifier: Apache-2.0
// Layers whose weights are codes and scales, through the binary. Expected outputs were computed in
// float64, independently of Tessera. Files hold all tensors except the codes, which are a hash of
// their position (tests/golden/quantised/README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/golden/golden_file.hpp"

namespace tessera::test {
namespace {

enum class CodeKind { E4m3, Int8, Bytes };

/// Codes of one of the two weights: their seed and their place in a file.
struct Codes {
    CodeKind kind;
    std::uint64_t seed;
    const char* dtype;
    std::vector<std::uint32_t> shape;
};

/// A file, the params of its layer, and the tolerance of a result against `expected`.
struct Layer {
    const char* stem;
    const char* quantisation;
    std::uint32_t experts;
    std::uint32_t top_k;
    Codes w1;
    Codes w2;
    const char* expected;
    double max_rel_err;
    double pcc_min;
    friend void PrintTo(const Layer& layer, std::ostream* out) { *out << layer.stem; }
};

/// Returns the top 8 bits of splitmix64 with the state seed · 2^32 + i.
std::uint8_t hashed_byte(std::uint64_t seed, std::uint64_t i) {
    std::uint64_t z = (seed << 32U) + i + 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return static_cast<std::uint8_t>((z ^ (z >> 31U)) >> 56U);
}

std::string codes_of(const Codes& codes) {
    std::size_t count = 1;
    for (const std::uint32_t extent : codes.shape) {
        count *= extent;
    }
    std::string bytes(count, '\0');
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint8_t byte = hashed_byte(codes.seed, i);
        const int number = static_cast<std::int8_t>(byte);
        bytes[i] = static_cast<char>(codes.kind == CodeKind::E4m3   ? (byte & 0x9F) + 0x28
                                     : codes.kind == CodeKind::Int8 ? std::max(number, -127)
                                                                    : number);
    }
    return bytes;
}

/// Writes the file with its codes after the other tensors.
void write_whole(const Layer& layer, const std::string& path) {
    const auto raw =
        golden::bytes_of_file(golden::directory() + "quantised/" + layer.stem + ".safetensors");
    std::uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, raw.data(), sizeof(header_bytes));
    const auto* data = raw.data() + sizeof(header_bytes) + header_bytes;
    auto header = nlohmann::json::parse(raw.data() + sizeof(header_bytes), data);
    std::string payload(data, raw.data() + raw.size());
    for (const auto& [name, codes] : {std::pair{"w1", layer.w1}, std::pair{"w2", layer.w2}}) {
        const std::string bytes = codes_of(codes);
        header[name] = {{"dtype", codes.dtype},
                        {"shape", codes.shape},
                        {"data_offsets", {payload.size(), payload.size() + bytes.size()}}};
        payload += bytes;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = text.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof(size));
    file << text << payload;
}

struct Pair {
    const char* prepare_finalize;
    const char* experts;
};

class CliGoldenQuantised : public ::testing::TestWithParam<std::tuple<Layer, Pair>> {};

TEST_P(CliGoldenQuantised, StaysWithinToleranceOfTheExactLayer) {
    const auto& [layer, pair] = GetParam();
    const ScratchFolder folder;
    const std::string inputs = folder.file("layer.safetensors");
    write_whole(layer, inputs);

    const Ending ending =
        run_tessera({"run",       "moe_modular",
                     "--inputs",  inputs,
                     "--outputs", folder.file("out.safetensors"),
                     "--set",     "machine.unwritten_memory=nan",
                     "--set",     "params.ranks=2",
                     "--set",     std::string("params.quantisation=") + layer.quantisation,
                     "--set",     "params.E=" + std::to_string(layer.experts),
                     "--set",     "params.topk=" + std::to_string(layer.top_k),
                     "--set",     std::string("params.pf=") + pair.prepare_finalize,
                     "--set",     std::string("params.experts=") + pair.experts});

    ASSERT_EQ(ending.exit_code, 0) << ending.err << ending.out;
    const SafetensorsFile golden(inputs);
    const SafetensorsFile outputs(folder.file("out.safetensors"));
    const HostTensor result = outputs.read("out");
    const HostTensor wanted = golden.read(layer.expected);
    ASSERT_EQ(result.shape, wanted.shape);
    const CloseTolerance tolerance{layer.pcc_min, layer.max_rel_err};
    const std::vector<ComparedPart> parts{{result, wanted}};
    EXPECT_TRUE(compare_close(parts, tolerance).passes(tolerance));
}

// Tolerances are two to four times the error of the same chain with each result rounded to
// bfloat16. For out_quantised, activations follow the rule that the file states.
const std::vector<Layer> kLayers{
    {"q_mxfp4_partial",
     "mxfp4",
     4,
     2,
     {CodeKind::Bytes, 1026, "U8", {4, 144, 360}},
     {CodeKind::Bytes, 1027, "U8", {4, 720, 36}},
     "out",
     0.03326,
     0.99997936},
    {"q_int4_zp_g128",
     "int4_group",
     8,
     2,
     {CodeKind::Bytes, 1041, "U8", {8, 256, 512}},
     {CodeKind::Bytes, 1042, "U8", {8, 1024, 64}},
     "out",
     0.05704,
     0.99997234},
    {"q_fp8_static",
     "fp8_static",
     8,
     2,
     {CodeKind::E4m3, 1035, "F8_E4M3", {8, 256, 640}},
     {CodeKind::E4m3, 1036, "F8_E4M3", {8, 640, 128}},
     "out_quantised",
     0.3435,
     0.99956326},
    {"q_fp8_channel",
     "fp8_channel",
     8,
     3,
     {CodeKind::E4m3, 1029, "F8_E4M3", {8, 192, 1024}},
     {CodeKind::E4m3, 1030, "F8_E4M3", {8, 1024, 96}},
     "out_quantised",
     0.2665,
     0.99971069},
    {"q_fp8_block_2880",
     "fp8_block",
     4,
     2,
     {CodeKind::E4m3, 1032, "F8_E4M3", {4, 320, 2880}},
     {CodeKind::E4m3, 1033, "F8_E4M3", {4, 2880, 160}},
     "out_quantised",
     0.582,
     0.99928017},
    {"q_int8_channel",
     "int8_channel",
     8,
     3,
     {CodeKind::Int8, 1038, "I8", {8, 256, 1024}},
     {CodeKind::Int8, 1039, "I8", {8, 1024, 128}},
     "out_quantised",
     0.1794,
     0.99983101},
};

// The same codes with bfloat16 activations lose what bfloat16 loses: the tolerance of int4, whose
// layer has the same widths.
const Layer kInt8Weights{"q_int8_channel", "int8_weights", 8,       3,         kLayers[5].w1,
                         kLayers[5].w2,    "out",          0.05704, 0.99997234};

std::string name_of_run(const ::testing::TestParamInfo<std::tuple<Layer, Pair>>& test) {
    return std::string(std::get<0>(test.param).stem) + "_" +
           std::get<1>(test.param).prepare_finalize;
}

INSTANTIATE_TEST_SUITE_P(OneGroup, CliGoldenQuantised,
                         ::testing::Combine(::testing::ValuesIn(kLayers),
                                            ::testing::Values(Pair{"none", "grouped"})),
                         name_of_run);
INSTANTIATE_TEST_SUITE_P(Bfloat16Activations, CliGoldenQuantised,
                         ::testing::Combine(::testing::Values(kInt8Weights),
                                            ::testing::Values(Pair{"none", "grouped"},
                                                              Pair{"all_to_all_batched",
                                                                   "batched_masked"})),
                         name_of_run);
INSTANTIATE_TEST_SUITE_P(
    Dispatches, CliGoldenQuantised,
    ::testing::Combine(::testing::Values(kLayers[0], kLayers[2]),
                       ::testing::Values(Pair{"all_to_all_contiguous", "grouped_permuted"},
                                         Pair{"all_to_all_batched", "batched_masked"})),
    name_of_run);
INSTANTIATE_TEST_SUITE_P(
    DispatchesOfCodes, CliGoldenQuantised,
    ::testing::Combine(::testing::ValuesIn(kLayers.begin() + 2, kLayers.end()),
                       ::testing::Values(Pair{"quantised_all_gather", "grouped"},
                                         Pair{"quantised_all_to_all", "grouped_permuted"},
                                         Pair{"quantised_all_to_all_batched", "batched_masked"})),
    name_of_run);

// 64 rows of 7168 columns are two tile rows, and 112 strips of 32 rows and 128 columns.
TEST(CliQuantise, AScaleOfATensorGivesAllCoresWorkForFewRows) {
    const ScratchFolder folder;
    (void)folder.write("tensor.yaml", R"(
mesh: {device: wormhole_n150, shape: [1, 1]}
tensors:
  a: {shape: [64, 7168], dtype: bfloat16, origin: {random: normal}}
steps:
  - {name: codes, op: quantise, in: [a], out: [codes, scale], set: {block: tensor}}
)");

    const Ending ending =
        run_tessera({"run", "tensor.yaml", "--timing-only", "--json"}, folder.path());

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_EQ(nlohmann::json::parse(ending.out)["steps"][0]["cores"], 64);
}

}  // namespace
}  // namespace tessera::test
