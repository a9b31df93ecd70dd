// SPDX-License-Identifier: Apache-2.0
// Selection of experts and the tables of their tokens, against golden files, in memory filled with
// 0xFF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ops/moe_permutation/moe_permutation.hpp"
#include "ops/moe_select_experts/moe_select_experts.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_compare.hpp"
#include "tests/ops/op_call.hpp"

namespace tessera::ops {
namespace {

using golden::GoldenFile;
using testing::call_op;
using testing::golden_tensor;
using testing::keeps_to;
using testing::OneDevice;

SelectExpertsSpec spec_of(const GoldenFile& file, RouterScoring scoring) {
    const auto& params = file.entry().at("params");
    return {.scoring = scoring,
            .n_group = params.at("n_group"),
            .topk_group = params.at("topk_group"),
            .top_k = params.at("top_k"),
            .routed_scaling_factor = params.at("routed_scaling_factor"),
            .grid = {}};
}

/// Compares outputs of the op by their names in the file.
void expect_outputs(const GoldenFile& file, const std::vector<HostTensor>& outputs,
                    const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (file.has(names[i])) {
            EXPECT_TRUE(keeps_to(file, names[i], outputs.at(i)));
        }
    }
}

class SigmoidRouting : public ::testing::TestWithParam<std::string> {};

TEST_P(SigmoidRouting, IsThatOfTheFile) {
    const GoldenFile file(GetParam());
    OneDevice device(testing::test_arch());
    const SelectExpertsSpec spec = spec_of(file, RouterScoring::Sigmoid);

    const auto outputs = call_op(
        device, moe_select_experts::op(), &spec,
        {{golden_tensor(file, "router_logits")}, {golden_tensor(file, "e_score_correction_bias")}});

    expect_outputs(file, outputs,
                   {"topk_ids", "topk_weights", "topk_weights_bf16", "selected_groups",
                    "group_scores", "scores", "scores_for_choice"});
}

INSTANTIATE_TEST_SUITE_P(Files, SigmoidRouting,
                         ::testing::Values("routing_dsv3_256", "routing_dsv3_32_widebias",
                                           "routing_dsv3_ties"),
                         [](const auto& file) { return file.param; });

class SoftmaxRouting : public ::testing::TestWithParam<std::string> {};

TEST_P(SoftmaxRouting, IsThatOfTheFile) {
    const GoldenFile file(GetParam());
    OneDevice device(testing::test_arch());
    SelectExpertsSpec spec = spec_of(file, RouterScoring::Softmax);
    spec.normalise = false;

    const auto outputs = call_op(device, moe_select_experts::op(), &spec,
                                 {{golden_tensor(file, "router_logits")}}, 6);

    expect_outputs(file, outputs,
                   {"topk_ids", "weights_default", "weights_default_bf16", "selected_groups",
                    "group_scores", "probs"});
}

INSTANTIATE_TEST_SUITE_P(Files, SoftmaxRouting,
                         ::testing::Values("routing_softmax_64", "routing_softmax_grouped"),
                         [](const auto& file) { return file.param; });

TEST(MoeSelectExperts, TakesLogitsAsTheyAreWithoutScoring) {
    OneDevice device(testing::test_arch());
    const HostTensor logits =
        testing::host_tensor<float>({1, 4}, DataFormat::Float32, {1.0F, -2.0F, 4.0F, 4.0F});
    const SelectExpertsSpec spec{
        .scoring = RouterScoring::None, .top_k = 2, .normalise = false, .grid = {}};

    const auto outputs = call_op(device, moe_select_experts::op(), &spec, {{logits}}, 3);

    EXPECT_THAT(testing::values_of<std::int32_t>(outputs[0]), ::testing::ElementsAre(2, 3));
    EXPECT_THAT(testing::values_of<float>(outputs[1]), ::testing::ElementsAre(4.0F, 4.0F));
}

TEST(MoeSelectExperts, ChoosesNoNanWhileThereIsANumber) {
    OneDevice device(testing::test_arch());
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const HostTensor logits =
        testing::host_tensor<float>({1, 4}, DataFormat::Float32, {kNan, -8.0F, kNan, 3.0F});
    const SelectExpertsSpec spec{.top_k = 2, .normalise = false, .grid = {}};

    const auto outputs = call_op(device, moe_select_experts::op(), &spec, {{logits}}, 3);

    EXPECT_THAT(testing::values_of<std::int32_t>(outputs[0]), ::testing::ElementsAre(3, 1));
}

struct TiledFile {
    std::string file;
    std::uint32_t tile;
};

class Permutation : public ::testing::TestWithParam<TiledFile> {};

TEST_P(Permutation, HasTheTablesOfTheFile) {
    const GoldenFile file(GetParam().file);
    const auto& params = file.entry().at("params");
    OneDevice device(testing::test_arch());
    const PermutationSpec spec{.experts = params.at("E_global"),
                               .local_experts = params.at("E_local"),
                               .local_expert_offset = params.at("local_expert_offset"),
                               .tile = GetParam().tile};

    const auto outputs =
        call_op(device, moe_permutation::op(), &spec, {{golden_tensor(file, "topk_ids")}});

    const std::string tile = "tile" + std::to_string(GetParam().tile) + ".";
    expect_outputs(file, outputs,
                   {"expert_count_histogram", "expert_count_histogram_local",
                    tile + "total_num_padded_tokens", tile + "padded_prefix_sum",
                    tile + "expanded_idx_to_permuted_idx", tile + "permuted_idx_to_token_idx",
                    tile + "permuted_idx_to_expanded_idx", tile + "cta_idx_xy_to_batch_idx",
                    tile + "cta_idx_xy_to_mn_limit", tile + "num_non_exiting_ctas"});
}

std::vector<TiledFile> tiled_files() {
    std::vector<TiledFile> files;
    for (const std::uint32_t tile : moe_permutation::kTokenTiles) {
        files.push_back({"fp8moe_all_local", tile});
        files.push_back({"fp8moe_ep_shard", tile});
    }
    return files;
}
INSTANTIATE_TEST_SUITE_P(Files, Permutation, ::testing::ValuesIn(tiled_files()),
                         [](const auto& row) {
                             return row.param.file + "_" + std::to_string(row.param.tile);
                         });

// 5 tokens with 2 experts each, 3 local experts: one row in each of three experts, and each other
// of the ten rows in whole tiles of at most 4.
TEST(MoePermutation, HasRoomForTheWorstRouting) {
    EXPECT_EQ(moe_permutation::most_ctas(5, 2, 3, 4), 3U + 7U / 4U);
    EXPECT_EQ(moe_permutation::most_ctas(1, 8, 4, 8), 4U);  // no more rows than local experts
    EXPECT_EQ(moe_permutation::most_ctas(64, 8, 1, 8), 1U + 63U / 8U);  // once per token
}

}  // namespace
}  // namespace tessera::ops
