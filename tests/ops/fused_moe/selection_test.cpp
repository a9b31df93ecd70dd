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
         .tokens = c.tokens,
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
                      Case{"FewTokens", 8, 128, "all_to_all_contiguous", "grouped_permuted"},
                      Case{"ManyTokens", 8, 129, "all_gather_reduce_scatter", "grouped"},
                      Case{.name = "FewTokensWithExpertsElsewhere",
                           .ranks = 8,
                           .tokens = 128,
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
