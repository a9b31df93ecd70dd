// SPDX-License-Identifier: Apache-2.0
// Pairs that `auto` chooses; docs/modular_moe.md states the rules.
#include "ops/fused_moe/selection.hpp"

#include <gtest/gtest.h>

#include <ostream>

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
                   .intermediate = 512},
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
                      Case{"ManyDevices", 32, 32, "all_to_all_contiguous", "grouped_permuted"},
                      Case{"ManyTokens", 8, 4096, "all_gather_reduce_scatter", "grouped"},
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

/// A layer, and how much longer it takes with all-to-all than with all-gather, as predicted runs of
/// whole layers say (bench/dispatch_rule.sh, Wormhole, 2026-11-27).
struct MeasuredLayer {
    const char* name;
    DispatchSizes sizes;
    double ratio;
    friend void PrintTo(const MeasuredLayer& layer, std::ostream* out) { *out << layer.name; }
};

class MeasuredDispatch : public ::testing::TestWithParam<MeasuredLayer> {};

// A wrong choice costs at most 5 % of the layer.
TEST_P(MeasuredDispatch, IsTheFasterOneOrCloseToIt) {
    const MeasuredLayer& layer = GetParam();

    const bool prefers_all_to_all = estimate_dispatch(layer.sizes).prefers_all_to_all();

    constexpr double kClose = 1.05;
    EXPECT_LE(prefers_all_to_all ? layer.ratio : 1 / layer.ratio, kClose);
}

constexpr DispatchSizes granite(std::uint32_t ranks, std::uint32_t tokens) {
    return {ranks, tokens, 1024, 32, 8, 512};
}
constexpr DispatchSizes qwen235(std::uint32_t tokens) {
    return {8, tokens, 4096, 128, 8, 1536};
}

INSTANTIATE_TEST_SUITE_P(
    Layers, MeasuredDispatch,
    ::testing::Values(MeasuredLayer{"Granite4With4", granite(4, 4), 216676.0 / 216337},
                      MeasuredLayer{"Granite4With32", granite(4, 32), 313007.0 / 327312},
                      MeasuredLayer{"Granite4With128", granite(4, 128), 493874.0 / 465822},
                      MeasuredLayer{"Granite4With512", granite(4, 512), 1377054.0 / 1105156},
                      MeasuredLayer{"Granite8With8", granite(8, 8), 203167.0 / 207699},
                      MeasuredLayer{"Granite8With64", granite(8, 64), 293263.0 / 297548},
                      MeasuredLayer{"Granite32With32", granite(32, 32), 271704.0 / 337653},
                      MeasuredLayer{"Olmoe8With64", {8, 64, 2048, 64, 8, 1024}, 905921.0 / 868051},
                      MeasuredLayer{
                          "Qwen30On32With32", {32, 32, 2048, 128, 8, 768}, 578503.0 / 538357},
                      MeasuredLayer{"Qwen235With8", qwen235(8), 1638837.0 / 1481024},
                      MeasuredLayer{"Qwen235With32", qwen235(32), 3035834.0 / 2675633},
                      MeasuredLayer{"Qwen235With128", qwen235(128), 3759239.0 / 3344337}),
    [](const auto& layer) { return std::string(layer.param.name); });

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
