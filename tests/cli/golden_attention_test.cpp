// SPDX-License-Identifier: Apache-2.0
// Grouped-query attention of Qwen3 and gpt-oss through the binary. Expected outputs were computed
// in float64, independently of Tessera (tests/golden/models/README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "emu/base/tensor_file/safetensors.hpp"
#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/golden/hashed_tensor.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::test {
namespace {

using golden::GoldenFile;
using golden::hashed;
using tessera::testing::golden_tensor;
using ::testing::HasSubstr;

/// A golden file, its sizes and its tolerances.
struct AttentionFile {
    const char* stem;
    std::uint32_t hidden, heads, kv_heads, head_dim, cache_pages, pages, sequences, tokens;
    std::uint64_t first_seed;  ///< seed of wq; those of wk, wv, wo, k_cache and v_cache follow
    int shift;                 ///< shift of wq, wk, wv
    int output_shift;          ///< shift of wo
    std::vector<std::string> sets;
    std::map<std::string, CloseTolerance> tolerances;

    friend void PrintTo(const AttentionFile& file, std::ostream* out) { *out << file.stem; }
    [[nodiscard]] std::vector<std::string> arguments() const {
        const auto number = [](const std::string& name, std::uint32_t value) {
            return "params." + name + "=" + std::to_string(value);
        };
        std::vector<std::string> all{
            number("T", tokens),           number("H", hidden),
            number("num_heads", heads),    number("num_kv_heads", kv_heads),
            number("head_dim", head_dim),  number("sequences", sequences),
            number("pages", pages),        number("cache_pages", cache_pages),
            "machine.unwritten_memory=nan"};
        all.insert(all.end(), sets.begin(), sets.end());
        return all;
    }
};

const std::vector<std::string> kQwen3{"params.qk_norm=true", "params.rope_theta=1000000.0",
                                      "params.softmax_scale=0.08838834764831845"};
const std::vector<std::string> kGptOss{"params.phase=decode", "params.bias=true",
                                       "params.sinks=true",   "params.rope_theta=150000.0",
                                       "params.eps=0.00001",  "params.softmax_scale=0.125"};

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

const std::vector<AttentionFile> kFiles{
    {"gqa_qwen3_prefill_context",
     512,
     16,
     2,
     128,
     3,
     3,
     1,
     24,
     1062,
     12,
     13,
     kQwen3,
     {{"k", {0.99998443, 0.04102}},
      {"v", {0.99999443, 0.009533}},
      {"attn", {0.99996924, 0.06533}},
      {"out", {0.99996361, 0.04479}}}},
    {"gqa_qwen3_decode",
     512,
     16,
     2,
     128,
     11,
     4,
     5,
     5,
     1069,
     12,
     13,
     joined(kQwen3, {"params.phase=decode"}),
     {{"k", {0.99998517, 0.01913}},
      {"v", {0.99999443, 0.009654}},
      {"attn", {0.99998725, 0.0376}},
      {"out", {0.99998295, 0.03231}}}},
    {"gqa_gptoss_decode",
     2880,
     64,
     8,
     64,
     17,
     7,
     4,
     4,
     1090,
     13,
     13,
     joined(kGptOss, {"params.sliding_window=128"}),
     {{"k", {0.99998931, 0.01723}},
      {"v", {0.99999434, 0.009358}},
      {"attn", {0.99997713, 0.05903}},
      {"out", {0.99997815, 0.04725}}}},
    {"gqa_gptoss_full_yarn",
     512,
     16,
     2,
     64,
     9,
     5,
     3,
     3,
     1097,
     12,
     12,
     joined(kGptOss, {"params.yarn_factor=32.0"}),
     {{"inv_freq", {0.9999999, 1e-6}},
      {"k", {0.99998619, 0.01392}},
      {"v", {0.99999409, 0.009046}},
      {"attn", {0.99997431, 0.03154}},
      {"out", {0.99997842, 0.03057}}}},
};

/// Returns the stored tensors of the file and those that a formula defines.
std::map<std::string, HostTensor> inputs_of(const AttentionFile& file) {
    const GoldenFile stored(std::string("models/") + file.stem);
    std::map<std::string, HostTensor> tensors;
    for (const char* name : {"hidden_states", "block_table", "context_lens", "query_lens", "q_norm",
                             "k_norm", "sinks", "bq", "bk", "bv", "bo"}) {
        if (stored.has(name)) {
            tensors[name] = golden_tensor(stored, name);
        }
    }
    const std::uint32_t q = file.heads * file.head_dim;
    const std::uint32_t kv = file.kv_heads * file.head_dim;
    const std::uint64_t seed = file.first_seed;
    tensors["wq"] = hashed({q, file.hidden}, seed, file.shift);
    tensors["wk"] = hashed({kv, file.hidden}, seed + 1, file.shift);
    tensors["wv"] = hashed({kv, file.hidden}, seed + 2, file.shift);
    tensors["wo"] = hashed({file.hidden, q}, seed + 3, file.output_shift);
    const Shape cache{file.cache_pages, 32, file.kv_heads, file.head_dim};
    tensors["k_cache"] = hashed(cache, seed + 4, 7);
    tensors["v_cache"] = hashed(cache, seed + 5, 7);
    return tensors;
}

/// Runs the file's attention and returns the outputs.
SafetensorsFile attention_of(const AttentionFile& file, const ScratchFolder& folder,
                             const std::vector<std::string>& more) {
    const auto tensors = inputs_of(file);
    std::map<std::string, const HostTensor*> stored;
    for (const auto& [name, tensor] : tensors) {
        stored[name] = &tensor;
    }
    write_safetensors(folder.file("in.safetensors"), stored);
    std::vector<std::string> arguments{"run",       "gqa",
                                       "--inputs",  folder.file("in.safetensors"),
                                       "--outputs", folder.file("out.safetensors")};
    for (const std::string& set : joined(file.arguments(), more)) {
        arguments.insert(arguments.end(), {"--set", set});
    }
    const Ending ending = run_tessera(arguments);
    EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
    return SafetensorsFile(folder.file("out.safetensors"));
}

bool is_close(const SafetensorsFile& outputs, const std::string& stem, const std::string& name,
              const CloseTolerance& tolerance) {
    const GoldenFile wanted("models/" + stem);
    return compare_close(outputs.read(name), golden_tensor(wanted, name), tolerance)
        .passes(tolerance);
}

class CliGoldenAttention : public ::testing::TestWithParam<AttentionFile> {};

TEST_P(CliGoldenAttention, KeepsToEveryTensorOfTheFile) {
    const ScratchFolder folder;

    const SafetensorsFile outputs = attention_of(GetParam(), folder, {});

    const GoldenFile wanted(std::string("models/") + GetParam().stem);
    EXPECT_EQ(outputs.read("positions").bytes, golden_tensor(wanted, "positions").bytes);
    for (const auto& [name, tolerance] : GetParam().tolerances) {
        EXPECT_TRUE(is_close(outputs, GetParam().stem, name, tolerance)) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, CliGoldenAttention, ::testing::ValuesIn(kFiles),
                         [](const auto& file) { return std::string(file.param.stem); });

// Each of 2 devices has one key head; 4 and 8 devices share the heads.
TEST(CliGoldenAttentionOnAMesh, GivesTheOutputOfOneDevice) {
    for (const char* devices : {"2", "4", "8"}) {
        for (const AttentionFile& file : {kFiles[0], kFiles[1]}) {
            const ScratchFolder folder;

            const SafetensorsFile outputs =
                attention_of(file, folder, {std::string("params.tp=") + devices});

            EXPECT_TRUE(is_close(outputs, file.stem, "out", file.tolerances.at("out")))
                << file.stem << " on " << devices;
        }
    }
}

std::string error_of(const std::vector<std::string>& sets) {
    std::vector<std::string> arguments{"run", "gqa"};
    for (const std::string& set : sets) {
        arguments.insert(arguments.end(), {"--set", set});
    }
    const Ending ending = run_tessera(arguments);
    EXPECT_EQ(ending.exit_code, 2) << ending.out;
    return ending.err;
}

TEST(CliAttention, RefusesAWindowBelowZero) {
    EXPECT_THAT(error_of({"params.sliding_window=-1"}), HasSubstr("sliding_window"));
}

TEST(CliAttention, RefusesHeadsOfKeysThatDoNotDivideThoseOfQueries) {
    EXPECT_THAT(error_of({"params.num_kv_heads=3"}), HasSubstr("num_kv_heads"));
}

TEST(CliAttention, NamesThePositionForWhichThePageTableIsTooShort) {
    EXPECT_THAT(error_of({"params.pages=1"}),
                HasSubstr("positions[0] is 40; the 1 pages of a sequence hold 0 to 31"));
}

TEST(CliAttention, NamesAMissingPageThatATokenNeeds) {
    EXPECT_THAT(error_of({"tensors.block_table.origin.index=i - 1"}),
                HasSubstr("page_table(0,0) is -1; a token at position"));
}

TEST(CliAttention, NamesLengthsThatExceedTheTokens) {
    EXPECT_THAT(error_of({"params.T=40"}),
                HasSubstr("token_positions: query_lens sum to 48; allowed: up to 40, the tokens"));
}

}  // namespace
}  // namespace tessera::test
