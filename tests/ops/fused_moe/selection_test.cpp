// SPDX-License-Identifier: Apache-2.0
// Pairs that `auto` chooses; docs/modular_moe.md states the rules.
#include "ops/fused_moe/selection.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>

namespace tessera::ops::fused_moe {
namespace {

struct Case {
    const char* name;
    std::uint32_t ranks;
    std::uint32_t tokens;
    const char* prepare_finalize;
    const char* experts;
    const char* given_pf = nullptr;
    const char* given_experts = nullptr;
    DataFormat ids = DataFormat::Int32;
    bool is_chunked = false;
    bool has_all_experts = true;
    bool has_own_tokens = true;
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class SelectedPair : public ::testing::TestWithParam<Case> {};

TEST_P(SelectedPair, IsTheOneOfTheRulesAndRuns) {
    const Case& c = GetParam();
    const Demands demands{c.ranks, c.ids, c.is_chunked};

    const Selection pair = select_pair(
        {.demands = demands,
         .sizes = {.ranks = c.ranks,
                   .tokens = c.tokens,
                   .hidden = 1024,
                   .experts = 32,
                   .top_k = 8,
                   .has_own_tokens = c.has_own_tokens},
         .has_all_experts = c.has_all_experts,
         .prepare_finalize = c.given_pf == nullptr ? nullptr : find_prepare_finalize(c.given_pf),
         .experts = c.given_experts == nullptr ? nullptr : find_experts(c.given_experts)});

    EXPECT_EQ(pair.prepare_finalize->name, c.prepare_finalize);
    EXPECT_EQ(pair.experts->name, c.experts);
    EXPECT_EQ(refusal(*pair.prepare_finalize, *pair.experts, demands), std::nullopt);
    EXPECT_FALSE(pair.prepare_finalize_reason.empty());
    EXPECT_FALSE(pair.experts_reason.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Situations, SelectedPair,
    ::testing::Values(Case{"OneDevice", 1, 64, "none", "grouped"},
                      Case{"ManyDevices", 32, 32, "all_to_all_batched", "batched_by_shape"},
                      Case{"ManyTokens", 2, 4096, "all_gather_reduce_scatter", "grouped"},
                      Case{.name = "FewTokensThatAllDevicesHave",
                           .ranks = 8,
                           .tokens = 8,
                           .prepare_finalize = "none",
                           .experts = "grouped",
                           .has_own_tokens = false},
                      Case{.name = "TokensThatAllDevicesHaveForBatches",
                           .ranks = 8,
                           .tokens = 8,
                           .prepare_finalize = "batched",
                           .experts = "batched_masked",
                           .given_experts = "batched_masked",
                           .has_own_tokens = false},
                      Case{.name = "ManyDevicesWithExpertsElsewhere",
                           .ranks = 32,
                           .tokens = 32,
                           .prepare_finalize = "all_gather_reduce_scatter",
                           .experts = "grouped",
                           .has_all_experts = false},
                      Case{.name = "IdsWithoutASign",
                           .ranks = 8,
                           .tokens = 8,
                           .prepare_finalize = "all_gather_reduce_scatter",
                           .experts = "grouped",
                           .ids = DataFormat::UInt32},
                      Case{.name = "GivenBatches",
                           .ranks = 4,
                           .tokens = 4096,
                           .prepare_finalize = "all_to_all_batched",
                           .experts = "batched_masked",
                           .given_experts = "batched_masked"},
                      Case{.name = "GivenFp8Rows",
                           .ranks = 4,
                           .tokens = 4096,
                           .prepare_finalize = "quantised_all_gather",
                           .experts = "grouped_fp8",
                           .given_experts = "grouped_fp8"},
                      Case{.name = "FewFp8Rows",
                           .ranks = 8,
                           .tokens = 128,
                           .prepare_finalize = "quantised_all_gather",
                           .experts = "grouped_fp8_block",
                           .given_experts = "grouped_fp8_block"},
                      Case{.name = "BatchesOfFp8Rows",
                           .ranks = 4,
                           .tokens = 64,
                           .prepare_finalize = "quantised_all_to_all_batched",
                           .experts = "batched_fp8",
                           .given_experts = "batched_fp8"},
                      Case{.name = "OneScaleForARanksRows",
                           .ranks = 4,
                           .tokens = 4096,
                           .prepare_finalize = "all_gather_reduce_scatter",
                           .experts = "grouped_fp8_tensor",
                           .given_experts = "grouped_fp8_tensor"},
                      Case{.name = "GivenDispatch",
                           .ranks = 4,
                           .tokens = 64,
                           .prepare_finalize = "all_to_all_capped",
                           .experts = "batched_by_shape",
                           .given_pf = "all_to_all_capped"},
                      Case{.name = "GivenDispatchOfFp8",
                           .ranks = 4,
                           .tokens = 64,
                           .prepare_finalize = "quantised_all_gather",
                           .experts = "grouped_fp8",
                           .given_pf = "quantised_all_gather"},
                      Case{.name = "Chunks",
                           .ranks = 1,
                           .tokens = 64,
                           .prepare_finalize = "none",
                           .experts = "grouped",
                           .is_chunked = true}),
    [](const auto& c) { return std::string(c.param.name); });

/// Thousands of predicted cycles of a layer with each dispatch (`moe_modular`, Wormhole, 2026-11-28).
struct MeasuredLayer {
    const char* name;
    DispatchSizes sizes;
    double none;
    double batched;
    double all_to_all_batched;
    double all_gather_reduce_scatter;
    double all_to_all_contiguous;
    friend void PrintTo(const MeasuredLayer& layer, std::ostream* out) { *out << layer.name; }

    [[nodiscard]] std::map<std::string_view, double> times(bool has_own_tokens) const {
        std::map<std::string_view, double> times{
            {"all_to_all_batched", all_to_all_batched},
            {"all_gather_reduce_scatter", all_gather_reduce_scatter},
            {"all_to_all_contiguous", all_to_all_contiguous}};
        if (!has_own_tokens) {
            times["none"] = none;
            times["batched"] = batched;
        }
        return times;
    }
};

class MeasuredDispatch : public ::testing::TestWithParam<MeasuredLayer> {
protected:
    /// Time with the first estimate over that with the fastest dispatch.
    [[nodiscard]] static double over_fastest(bool has_own_tokens) {
        const MeasuredLayer& layer = GetParam();
        DispatchSizes sizes = layer.sizes;
        sizes.has_own_tokens = has_own_tokens;
        const auto times = layer.times(has_own_tokens);
        double fastest = times.begin()->second;
        for (const auto& [dispatch, cycles] : times) {
            fastest = std::min(fastest, cycles);
        }
        return times.at(estimate_dispatches(sizes).front().dispatch) / fastest;
    }
};

TEST_P(MeasuredDispatch, OfABatchTakesAtMostATenthLongerThanTheFastest) {
    EXPECT_LE(over_fastest(false), 1.1);
}

TEST_P(MeasuredDispatch, OfOwnTokensTakesAtMostATenthLongerThanTheFastest) {
    EXPECT_LE(over_fastest(true), 1.1);
}

INSTANTIATE_TEST_SUITE_P(
    Layers, MeasuredDispatch,
    ::testing::Values(
        MeasuredLayer{"DeepSeekLite4With32", {4, 32, 2048, 64, 6}, 1188, 1216, 1224, 1235, 1256},
        MeasuredLayer{"DeepSeekLite4With256", {4, 256, 2048, 64, 6}, 2044, 2173, 2121, 2128, 2258},
        MeasuredLayer{"DeepSeekLite32With256", {32, 256, 2048, 64, 6}, 975, 944, 1038, 1163, 1163},
        MeasuredLayer{"Granite2With2", {2, 2, 1024, 32, 8}, 193, 195, 212, 227, 220},
        MeasuredLayer{"Granite2With16", {2, 16, 1024, 32, 8}, 325, 319, 345, 359, 357},
        MeasuredLayer{"Granite2With256", {2, 256, 1024, 32, 8}, 672, 674, 827, 740, 868},
        MeasuredLayer{"Granite8With8", {8, 8, 1024, 32, 8}, 154, 159, 184, 216, 196},
        MeasuredLayer{"Granite8With64", {8, 64, 1024, 32, 8}, 233, 201, 236, 300, 276},
        MeasuredLayer{"Granite32With32", {32, 32, 1024, 32, 8}, 207, 247, 325, 382, 300},
        MeasuredLayer{"Granite32With256", {32, 256, 1024, 32, 8}, 408, 352, 466, 588, 598},
        MeasuredLayer{"Mixtral8With64", {8, 64, 4096, 8, 2}, 579, 571, 589, 656, 640},
        MeasuredLayer{"Mixtral8With512", {8, 512, 4096, 8, 2}, 3039, 2753, 2687, 3210, 2937},
        MeasuredLayer{"Olmoe2With8", {2, 8, 2048, 64, 8}, 1083, 1126, 1151, 1117, 1139},
        MeasuredLayer{"Olmoe2With64", {2, 64, 2048, 64, 8}, 2036, 2159, 2171, 2078, 2147},
        MeasuredLayer{"Olmoe8With32", {8, 32, 2048, 64, 8}, 582, 582, 602, 647, 652},
        MeasuredLayer{"Olmoe8With256", {8, 256, 2048, 64, 8}, 1260, 1276, 1309, 1349, 1493},
        MeasuredLayer{"Olmoe32With128", {32, 128, 2048, 64, 8}, 604, 549, 635, 782, 709},
        MeasuredLayer{"Olmoe32With1024", {32, 1024, 2048, 64, 8}, 1992, 1901, 2106, 2222, 2730},
        MeasuredLayer{"Qwen302With2", {2, 2, 2048, 128, 8}, 472, 493, 526, 507, 514},
        MeasuredLayer{"Qwen302With16", {2, 16, 2048, 128, 8}, 1604, 1696, 1727, 1638, 1737},
        MeasuredLayer{"Qwen302With256", {2, 256, 2048, 128, 8}, 3985, 4584, 4320, 4059, 4395},
        MeasuredLayer{"Qwen308With8", {8, 8, 2048, 128, 8}, 449, 454, 481, 514, 520},
        MeasuredLayer{"Qwen308With64", {8, 64, 2048, 128, 8}, 852, 899, 914, 919, 980},
        MeasuredLayer{"Qwen3032With32", {32, 32, 2048, 128, 8}, 370, 357, 432, 548, 474},
        MeasuredLayer{"Qwen3032With256", {32, 256, 2048, 128, 8}, 794, 772, 863, 983, 1016}),
    [](const auto& layer) { return std::string(layer.param.name); });

TEST(SelectedPairReason, NamesTheEstimatesOfTheNextDispatches) {
    const Selection pair = select_pair({.demands = {.ranks = 32},
                                        .sizes = {.ranks = 32,
                                                  .tokens = 32,
                                                  .hidden = 2048,
                                                  .experts = 128,
                                                  .top_k = 8,
                                                  .has_own_tokens = true}});

    EXPECT_THAT(pair.prepare_finalize_reason,
                ::testing::MatchesRegex(
                    "1 token a device: estimated all_to_all_batched [0-9]+ k cycles beside the "
                    "products; then all_to_all_contiguous [0-9]+ k, all_gather_reduce_scatter "
                    "[0-9]+ k, naive_broadcast [0-9]+ k"));
}

/// Weights without scales of rows for activations: codes of these cannot be sent.
constexpr std::array<std::string_view, 7> kNotSent{
    "fp8_tensor", "int8_weights", "int4_group", "mxfp4", "nvfp4_weights", "bfp8_b", "bfp4_b"};

/// Returns a pair whose experts are to be chosen, for a layer of four devices.
Selection with_auto_experts(const PrepareAndFinalize& pf, const WeightFormat& weights,
                            bool has_bias, Activation activation) {
    return select_pair(
        {.demands =
             {.ranks = 4, .weights = &weights, .has_bias = has_bias, .activation = activation},
         .sizes = {.ranks = 4, .tokens = 64, .hidden = 1024, .experts = 32, .top_k = 8},
         .prepare_finalize = &pf});
}

class AutoExperts : public ::testing::TestWithParam<std::tuple<bool, Activation>> {};

TEST_P(AutoExperts, RunWithEveryDispatchThatCanSendTheWeightsActivations) {
    const auto [has_bias, activation] = GetParam();
    for (const PrepareAndFinalize& pf : all_prepare_finalize()) {
        for (const WeightFormat& weights : all_weight_formats()) {
            const bool runs =
                !pf.sends_codes || std::ranges::find(kNotSent, weights.name) == kNotSent.end();
            const Selection pair = with_auto_experts(pf, weights, has_bias, activation);
            EXPECT_EQ(pair.refusals.empty(), runs) << pf.name << ", " << weights.name;
            EXPECT_TRUE(runs || pair.refusals.size() == 1) << pf.name << ", " << weights.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Layers, AutoExperts,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Activation::Silu,
                                                              Activation::SwigluOai)));

TEST(AutoExpertsRefusal, NamesTheDispatchTheWeightsAndTheCure) {
    const Selection pair =
        with_auto_experts(*find_prepare_finalize("quantised_all_gather"),
                          *find_weight_format("fp8_tensor"), false, Activation::Silu);

    ASSERT_EQ(pair.refusals.size(), 1);
    EXPECT_EQ(pair.refusals[0].key, "experts");
    EXPECT_EQ(pair.refusals[0].reason,
              "is auto, but none runs with quantised_all_gather and quantisation fp8_tensor "
              "(quantisation: quantised_all_gather dispatches codes with scales of rows, grouped "
              "takes fp8 per tensor); set pf to auto");
}

TEST(PublicNames, FindTheRowOfAnImplementation) {
    EXPECT_EQ(find_prepare_finalize("DeepEPLLPrepareAndFinalize")->name, "all_to_all_batched");
    EXPECT_EQ(find_prepare_finalize("flashinfer_all2allv")->name, "quantised_all_to_all");
    EXPECT_EQ(find_prepare_finalize("deepep_high_throughput")->name, "all_to_all_contiguous");
    EXPECT_EQ(find_prepare_finalize("pplx")->name, "all_to_all_capped");
    EXPECT_EQ(find_prepare_finalize(""), nullptr);
    EXPECT_EQ(find_experts("TritonExperts")->name, "grouped");
    EXPECT_EQ(find_experts("DeepGemmExperts")->name, "grouped_fp8_block");
    EXPECT_EQ(find_experts("CutlassExpertsFP8")->name, "grouped_fp8");
    EXPECT_EQ(find_experts("Triton"), nullptr);
}

// From 256 choices on, 64 rows of 8 experts fill blocks of 32 on average.
TEST(BatchedByShape, TakesMaskedProductsWhereExpertsFillBlocks) {
    const Layer few{.tokens = 63, .experts = 8, .top_k = 4, .block_size = 32};
    const Layer many{.tokens = 64, .experts = 8, .top_k = 4, .block_size = 32};

    EXPECT_FALSE(few.fills_blocks(few.tokens));
    EXPECT_TRUE(many.fills_blocks(many.tokens));
}

}  // namespace
}  // namespace tessera::ops::fused_moe
