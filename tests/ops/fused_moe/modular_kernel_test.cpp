// SPDX-License-Identifier: Apache-2.0
// Combination of the roles: reasons of refusals, and unique names in a table.
#include "ops/fused_moe/modular_kernel.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace tessera::ops::fused_moe {
namespace {

using ::testing::Optional;

std::optional<std::string> reason(std::string_view prepare_finalize, std::string_view experts,
                                  const Demands& demands = {}) {
    return refusal(*find_prepare_finalize(prepare_finalize), *find_experts(experts), demands);
}

TEST(ModularKernel, JoinsPairsOfOneFormat) {
    EXPECT_EQ(reason("none", "grouped"), std::nullopt);
    EXPECT_EQ(reason("batched", "batched_masked"), std::nullopt);
}

TEST(ModularKernel, RefusesPairsOfTwoFormats) {
    EXPECT_THAT(
        reason("none", "batched_masked"),
        Optional(std::string("formats: none gives Standard, batched_masked takes BatchedExperts")));
    EXPECT_THAT(
        reason("batched", "grouped"),
        Optional(std::string("formats: batched gives BatchedExperts, grouped takes Standard")));
}

TEST(ModularKernel, RefusesIndicesOfATypeThatTheDispatchDoesNotTake) {
    EXPECT_THAT(reason("all_to_all_contiguous", "grouped", {.topk_indices = DataFormat::UInt32}),
                Optional(std::string(
                    "dtype of indices: all_to_all_contiguous takes int32, topk_ids are uint32")));
    EXPECT_EQ(reason("none", "grouped", {.topk_indices = DataFormat::UInt32}), std::nullopt);
}

TEST(ModularKernel, RefusesChunksWhereExpertsTakeAllTokensAtOnce) {
    EXPECT_THAT(reason("batched", "batched_masked", {.is_chunked = true}),
                Optional(std::string("chunking: batched_masked takes all tokens at once")));
    EXPECT_EQ(reason("none", "grouped", {.is_chunked = true}), std::nullopt);
}

TEST(ModularKernel, RefusesCodesWithoutAScaleOfRows) {
    EXPECT_THAT(reason("quantised_all_to_all", "grouped"),
                Optional(std::string("quantisation: quantised_all_to_all dispatches codes with "
                                     "scales of rows, grouped takes bfloat16")));
    EXPECT_THAT(reason("quantised_all_gather", "grouped_fp8_tensor"),
                Optional(std::string("quantisation: quantised_all_gather dispatches codes with "
                                     "scales of rows, grouped_fp8_tensor takes fp8 per tensor")));
    EXPECT_EQ(
        reason("quantised_all_to_all", "grouped", {.weights = find_weight_format("fp8_block")}),
        std::nullopt);
}

TEST(ModularKernel, RefusesWeightsThatExpertsAreNotMadeFor) {
    EXPECT_THAT(reason("none", "fp8_pipeline"),
                Optional(std::string("weights: fp8_pipeline takes codes of fp8 in blocks only; "
                                     "set quantisation to fp8_block, or choose other experts")));
    EXPECT_EQ(reason("quantised_all_to_all", "fp8_pipeline",
                     {.weights = find_weight_format("fp8_block")}),
              std::nullopt);
}

TEST(ModularKernel, FindsEveryRowByItsNameOnce) {
    std::set<std::string_view> names;
    for (const PrepareAndFinalize& row : all_prepare_finalize()) {
        EXPECT_EQ(find_prepare_finalize(row.name), &row);
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
    }
    names.clear();
    for (const Experts& row : all_experts()) {
        EXPECT_EQ(find_experts(row.name), &row);
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
    }
}

TEST(ModularKernel, LeavesWeighingToANameOfTheTable) {
    for (const Experts& row : all_experts()) {
        EXPECT_NE(find_weight_and_reduce(row.finalize_weight_and_reduce), nullptr) << row.name;
    }
    for (const PrepareAndFinalize& row : all_prepare_finalize()) {
        const WeightAndReduce* own = find_weight_and_reduce(row.delegate);
        ASSERT_NE(own, nullptr) << row.name;
        EXPECT_NE(own->apply, nullptr) << row.name;
    }
}

/// Returns a layer of five tokens on two devices.
Layer small_layer() {
    return {.tokens = 5,
            .hidden = 64,
            .gate_up = 64,
            .intermediate = 32,
            .experts = 8,
            .local_experts = 4,
            .top_k = 2,
            .ranks = 2};
}

TEST(ModularKernel, BatchesHaveTheRoomThatTheirRowStates) {
    for (const PrepareAndFinalize& pf : all_prepare_finalize()) {
        const Dispatched tokens = dispatched(pf, small_layer());
        EXPECT_EQ(pf.capacity != nullptr, pf.activation_format == Format::BatchedExperts);
        EXPECT_EQ(tokens.capacity, pf.capacity == nullptr ? 0 : pf.capacity(small_layer()))
            << pf.name;
    }
}

/// Returns the inputs of the step that sends tokens.
std::vector<std::string> sent(const Layer& layer, const char* prepare_finalize) {
    const auto steps = modular_kernel(*find_prepare_finalize(prepare_finalize),
                                      *find_experts("grouped"), layer, 0);
    const auto step = std::ranges::find(steps, "moe_dispatch", &PartStep::op);
    return step == steps.end() ? std::vector<std::string>{} : step->inputs;
}

TEST(ModularKernel, SendsCodesAndTheirScalesInOneStep) {
    Layer layer = small_layer();
    layer.activations = {"fp8_e4m3", "1x128"};

    EXPECT_EQ(sent(layer, "quantised_all_to_all"),
              (std::vector<std::string>{"tokens_codes", "own_ids", "own_weights",
                                        "tokens_codes_scales"}));
    EXPECT_EQ(sent(layer, "all_to_all_contiguous"),
              (std::vector<std::string>{"own_tokens", "own_ids", "own_weights"}));
}

// Links carry two codes a byte: the receiver makes numbers of them, once for all its experts.
TEST(ModularKernel, SendsCodesOfFourBitsBeforeTheyAreWidened) {
    Layer layer = small_layer();
    layer.activations = find_weight_format("mxfp4_w4a4")->activations;

    EXPECT_EQ(sent(layer, "quantised_all_to_all"),
              (std::vector<std::string>{"tokens_codes", "own_ids", "own_weights",
                                        "tokens_codes_scales"}));
    const auto steps = modular_kernel(*find_prepare_finalize("quantised_all_to_all"),
                                      *find_experts("grouped"), layer, 0);
    const auto widened = std::ranges::find(steps, "widen_bytes", &PartStep::op);
    ASSERT_NE(widened, steps.end());
    EXPECT_EQ(widened->inputs,
              (std::vector<std::string>{"dispatched", "num_received", "dispatched_scales"}));
    EXPECT_EQ(std::ranges::count(steps, "quantise", &PartStep::op), 2);  // tokens, and between
}

TEST(ModularKernel, KeepsAStaticScaleAtHome) {
    Layer layer = small_layer();
    layer.activations = {"fp8_e4m3", "static"};
    layer.a1_scale = "a1_scale";
    layer.a2_scale = "a2_scale";

    EXPECT_EQ(sent(layer, "quantised_all_to_all"),
              (std::vector<std::string>{"tokens_codes", "own_ids", "own_weights"}));
}

TEST(ModularKernel, PartsOfALayerEndInItsOutput) {
    for (const PrepareAndFinalize& pf : all_prepare_finalize()) {
        for (const Experts& experts : all_experts()) {
            if (!refusal(pf, experts, {.ranks = 2})) {
                const auto steps = modular_kernel(pf, experts, small_layer(), 0);
                EXPECT_EQ(steps.back().outputs.front(), "out") << pf.name << " " << experts.name;
            }
        }
    }
}

}  // namespace
}  // namespace tessera::ops::fused_moe
