// SPDX-License-Identifier: Apache-2.0
// A whole DeepSeek-V3.2 layer of small sizes through the binary. Every step is compared with its
// reference, every division over devices gives the same result, and mistakes are reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/ops/golden_compare.hpp"

namespace tessera::test {
namespace {

using ::testing::HasSubstr;

Ending run_layer(const std::vector<std::string>& sets, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", "deepseek_v32_tiny", "--no-timing", "--quiet"};
    for (const std::string& set : sets) {
        arguments.insert(arguments.end(), {"--set", set});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tessera(arguments);
}

struct LayerRun {
    const char* name;
    std::vector<std::string> sets;
    friend void PrintTo(const LayerRun& run, std::ostream* out) { *out << run.name; }
};

class DeepseekLayer : public ::testing::TestWithParam<LayerRun> {};

TEST_P(DeepseekLayer, KeepsToTheReferenceOfEveryStep) {
    const Ending ending = run_layer(GetParam().sets);

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("PASS "));
}

TEST_P(DeepseekLayer, GivesTheSameBytesAtAnyThreadsAndDelivery) {
    const ScratchFolder folder;
    std::vector<std::string> results;
    for (const char* delivery : {"at_issue", "at_barrier", "random"}) {
        const std::string file = folder.file(std::string(delivery) + ".safetensors");
        auto sets = GetParam().sets;
        sets.push_back(std::string("machine.noc_delivery=") + delivery);
        sets.emplace_back("machine.unwritten_memory=nan");
        const Ending ending =
            run_layer(sets, {"--outputs", file, "--threads", results.empty() ? "1" : "2"});
        ASSERT_EQ(ending.exit_code, 0) << ending.err;
        results.push_back(bytes_of(file));
    }

    EXPECT_GT(results[0].size(), 200U);
    EXPECT_THAT(results, ::testing::Each(results[0]));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, DeepseekLayer,
    ::testing::Values(
        LayerRun{"Prefill", {}},
        // Rows of its caches have 96 bytes, or 32 bytes in fp8; DRAM is read at multiples of 64
        // bytes.
        LayerRun{"OnBlackhole", {"mesh.device=blackhole_p150"}},
        LayerRun{"OnBlackholeWithACacheInFp8",
                 {"mesh.device=blackhole_p150", "params.attention_cache=fp8", "params.context=33"}},
        LayerRun{"PrefillOfPartOfATile",
                 {"params.batch=1", "params.tokens=33", "params.context=5"}},
        LayerRun{"DecodeOfTwoLayers", {"params.tokens=1", "params.context=20", "params.layers=2"}},
        LayerRun{"OneToken", {"params.batch=1", "params.tokens=1"}},
        LayerRun{"AttentionToAll", {"params.attention=dense"}},
        LayerRun{"ContextsOfDifferentLengths",
                 {"params.batch=3", "params.context=33", "params.shorter=20"}},
        LayerRun{"UpProjected", {"params.attention_form=up_projected", "params.layers=2"}},
        LayerRun{"UpProjectedBehindContexts",
                 {"params.attention_form=up_projected", "params.batch=3", "params.context=33",
                  "params.shorter=20"}},
        LayerRun{"UpProjectedToAllBehindContexts",
                 {"params.attention_form=up_projected", "params.attention=dense", "params.batch=2",
                  "params.tokens=31", "params.context=17", "params.shorter=17"}},
        LayerRun{"UpProjectedRagged",
                 {"params.attention_form=up_projected", "params.ragged=5", "params.context=16"}},
        LayerRun{"CacheInFp8",
                 {"params.attention_cache=fp8", "params.context=33", "params.shorter=20",
                  "params.layers=2"}},
        LayerRun{"DecodeOverAllOfACacheInFp8",
                 {"params.attention_cache=fp8", "params.attention=dense", "params.tokens=1",
                  "params.context=40", "params.kv_lora_rank=160"}},
        LayerRun{"UpProjectedFromACacheInFp8",
                 {"params.attention_cache=fp8", "params.attention_form=up_projected",
                  "params.context=31", "params.shorter=31"}},
        LayerRun{"Ragged", {"params.ragged=5"}},
        LayerRun{"RowsWithoutTokens", {"params.ragged=16"}},
        LayerRun{"SharedExpertsOverlapped",
                 {"params.shared_experts=overlapped", "params.layers=2"}},
        LayerRun{"AllReduce", {"params.attention_output=all_reduce"}},
        LayerRun{"WithoutSequenceParallelism", {"params.sequence_parallel=off", "params.layers=2"}},
        LayerRun{"RaggedWithoutSequenceParallelism",
                 {"params.sequence_parallel=off", "params.ragged=5"}},
        LayerRun{"ZeroExpertsOfTheIdentity", {"params.n_zero_experts=8", "params.layers=2"}},
        LayerRun{"ZeroExpertsOfNothing",
                 {"params.n_zero_experts=8", "params.zero_experts=nothing", "params.ragged=5"}},
        LayerRun{"ZeroExpertsWithoutSequenceParallelism",
                 {"params.n_zero_experts=16", "params.sequence_parallel=off",
                  "params.shared_experts=overlapped"}},
        LayerRun{"NaiveBroadcast", {"params.pf=naive_broadcast"}},
        LayerRun{"QuantisedAllGather",
                 {"params.pf=quantised_all_gather", "params.experts=grouped_fp8"}},
        LayerRun{"AllToAllCapped",
                 {"params.pf=all_to_all_capped", "params.experts=batched_grouped"}},
        LayerRun{"AllToAll",
                 {"params.pf=all_to_all_contiguous", "params.experts=grouped_permuted"}},
        LayerRun{"AllToAllBatched",
                 {"params.pf=all_to_all_batched", "params.experts=batched_masked"}}),
    [](const auto& run) { return run.param.name; });

/// Returns the output of two rows of devices with 16 tokens each, 128 bytes per token.
std::string rows_of(const std::string& ragged, std::size_t count) {
    const ScratchFolder folder;
    const Ending ending =
        run_layer({"params.ragged=" + ragged}, {"--outputs", folder.file("out.safetensors")});
    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    const auto output = SafetensorsFile(folder.file("out.safetensors")).read("output");
    return {reinterpret_cast<const char*>(output.bytes.data()), count * 128};
}

// 16 tokens of the first row, 11 of the second.
TEST(DeepseekLayerRagged, GivesTokensTheSameBesideFewerOthers) {
    EXPECT_EQ(rows_of("5", 27), rows_of("0", 27));
}

HostTensor result_with(const std::vector<std::string>& sets) {
    const ScratchFolder folder;
    const Ending ending = run_layer(sets, {"--outputs", folder.file("out.safetensors")});
    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    return SafetensorsFile(folder.file("out.safetensors")).read("output");
}

// Without it, sums over the devices of a row are rounded one more time.
TEST(DeepseekLayerSequenceParallelism, DoesNotChangeTheResult) {
    const golden::GoldenFile file("layer_shared_sp");
    const auto& tolerance = file.entry_of("output").at("tolerance");

    EXPECT_TRUE(tessera::testing::has_numbers(result_with({"params.sequence_parallel=off"}),
                                              result_with({}), tolerance));
}

// Identity experts add tokens to the result, whatever devices a token's experts are on.
TEST(DeepseekLayerZeroExperts, GiveOneDeviceAndFourTheSameResult) {
    const golden::GoldenFile file("layer_shared_sp");
    const auto& tolerance = file.entry_of("output").at("tolerance");
    const auto on = [](const std::string& tp, const std::string& dp, const std::string& batch) {
        return result_with({"params.n_zero_experts=8", "params.tp=" + tp, "params.dp=" + dp,
                            "params.batch=" + batch});
    };
    const HostTensor whole = on("1", "1", "4");

    EXPECT_TRUE(tessera::testing::has_numbers(on("2", "2", "2"), whole, tolerance));
    EXPECT_NE(whole.bytes, result_with({"params.n_zero_experts=8", "params.zero_experts=nothing",
                                        "params.tp=1", "params.dp=1", "params.batch=4"})
                               .bytes);
}

struct Division {
    int tp;
    int dp;
    friend void PrintTo(const Division& division, std::ostream* out) {
        *out << division.tp << "x" << division.dp;
    }
};

/// Returns the result of four sequences, distributed over dp rows of tp devices.
HostTensor result_of(const Division& division) {
    return result_with({"params.tp=" + std::to_string(division.tp),
                        "params.dp=" + std::to_string(division.dp),
                        "params.batch=" + std::to_string(4 / division.dp)});
}

class DeepseekLayerDivisions : public ::testing::TestWithParam<Division> {};

// Sums are rounded to bfloat16 at different points. The tolerance is that of a layer's result in
// the golden file of its MoE half.
TEST_P(DeepseekLayerDivisions, GiveTheResultOfOneDevice) {
    const golden::GoldenFile file("layer_shared_sp");
    const auto& tolerance = file.entry_of("output").at("tolerance");

    EXPECT_TRUE(tessera::testing::has_numbers(result_of(GetParam()), result_of({1, 1}), tolerance));
}

INSTANTIATE_TEST_SUITE_P(TpAndDp, DeepseekLayerDivisions,
                         ::testing::Values(Division{2, 1}, Division{1, 2}, Division{2, 2},
                                           Division{4, 2}));

TEST(DeepseekLayerMistakes, NameHeadsThatDoNotDivide) {
    const Ending ending = run_layer({"params.n_heads=6", "params.tp=4"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "--set params.tp=4: params.tp: 4 does not divide n_heads, which is 6\n");
}

TEST(DeepseekLayerMistakes, NameAGroupOfNoDevice) {
    const Ending ending = run_layer({"params.tp=0"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "--set params.tp=0: params.tp: 0 is out of range, allowed: 1 to 256\n");
}

// The table of a single member of a group of devices is wrong.
TEST(DeepseekLayerMistakes, NameAPageOutsideOfTheCacheOfAnyDevice) {
    const Ending ending =
        run_layer({"tensors.page_table.distribution=each",
                   "tensors.page_table.origin.index=batch * pages - 1 - i + (device == 3) * 7"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: kv_cache_append: page_table(0,0) is 8; the cache has pages 0 to 1; "
              "allowed: these, or -1 for none (step append_0)\n");
}

// A value that a step computes passes no check of inputs: it is checked before a reference uses it.
TEST(DeepseekLayerMistakes, NameAPositionThatAStepMadeBehindTheCache) {
    const ScratchFolder folder;
    std::ofstream(folder.file("made.yaml")) << R"(
mesh: {device: wormhole_n150, shape: [1, 1]}
tensors:
  q: {shape: [1, 2, 32], dtype: bfloat16, origin: {random: normal}}
  q_rope: {shape: [1, 2, 32], dtype: bfloat16, origin: {random: normal}}
  cache: {shape: [4, 1024], dtype: bfloat16, origin: {random: normal}}
  page_table: {shape: [1, 2], dtype: int32, origin: {index: i}}
  listed: {shape: [1, 1], dtype: int32, origin: {index: 40}}
steps:
  - {name: make, op: slice_rows, in: [listed], out: [positions], set: {rows: 1}}
  - name: attend
    op: attention_decode
    in: [q, q_rope, cache, page_table, positions]
    out: [y]
    set: {scale: 1.0, page_size: 16, split: 1}
)";

    const Ending ending = run_tessera({"run", folder.file("made.yaml"), "--quiet", "--no-timing"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: attention_decode: positions[0] is 40; the 2 pages of a sequence hold 0 to "
              "31; allowed: these, or -1 for none (step attend)\n");
}

TEST(DeepseekLayerMistakes, NameAPositionBehindTheCache) {
    const Ending ending =
        run_layer({"tensors.angles.shape=[64]",
                   "tensors.cache_positions.origin.index=context + i % tokens + 9"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: kv_cache_append: positions[7] is 16; the 1 pages of a sequence hold 0 to "
              "15; allowed: these, or -1 for none (step append_0)\n");
}

HostTensor result_of_form(const std::string& attention, const std::string& form,
                          const std::string& cache = "bf16") {
    return result_with({"params.attention=" + attention, "params.attention_form=" + form,
                        "params.attention_cache=" + cache, "params.context=40", "params.shorter=13",
                        "params.index_topk=16", "params.n_group=1", "params.topk_group=1",
                        "params.top_k=16"});
}

// Two forms compute the same sums and round at different points. Every token uses every expert, so
// rounding cannot change the choice of experts.
TEST(DeepseekLayerForms, GiveTheSameResultOnLatentsAndOnKeysOfEachHead) {
    const golden::GoldenFile file("layer_shared_sp");
    const auto& tolerance = file.entry_of("output").at("tolerance");
    for (const char* attention : {"sparse", "dense"}) {
        EXPECT_TRUE(tessera::testing::has_numbers(result_of_form(attention, "up_projected"),
                                                  result_of_form(attention, "absorbed"), tolerance))
            << attention;
        // Errors of an fp8 cache are the same in both forms; ops guarantee this correlation.
        const CloseTolerance close{.pcc_min = 0.9999};
        EXPECT_GT(compare_close(result_of_form(attention, "up_projected", "fp8"),
                                result_of_form(attention, "absorbed", "fp8"), close)
                      .pcc,
                  close.pcc_min)
            << attention << " over a cache in fp8";
    }
}

// A k beyond the context selects the whole context.
TEST(DeepseekLayerMistakes, DoNotIncludeATopKBeyondTheContext) {
    const ScratchFolder folder;
    const auto bytes = [&](const std::string& attention) {
        const std::string file = folder.file("out.safetensors");
        EXPECT_EQ(run_layer({attention, "params.index_topk=1000"}, {"--outputs", file}).exit_code,
                  0);
        return bytes_of(file);
    };

    EXPECT_EQ(bytes("params.attention=sparse"), bytes("params.attention=dense"));
}

}  // namespace
}  // namespace tessera::test
