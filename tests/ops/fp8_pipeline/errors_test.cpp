// SPDX-License-Identifier: Apache-2.0
// Refusals of the ops of the FP8 pipeline, with their whole texts.
#include <gtest/gtest.h>

#include "ops/fp8_grouped_matmul/fp8_grouped_matmul.hpp"
#include "ops/fp8_swiglu/fp8_swiglu.hpp"
#include "ops/moe_permutation/moe_permutation.hpp"
#include "ops/moe_select_experts/moe_select_experts.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"

namespace tessera::ops {
namespace {

DeviceTensor tensor(Shape shape, DataFormat format, Layout layout = Layout::ROW_MAJOR) {
    return {{std::move(shape), format, layout}, {}};
}

/// Returns the text of the refusal of a call.
std::string refusal(const Op& op, ParameterRef spec, const std::vector<DeviceTensor>& inputs,
                    const std::vector<DeviceTensor>& outputs) {
    const auto pointers = [](const std::vector<DeviceTensor>& tensors) {
        std::vector<const DeviceTensor*> list;
        for (const DeviceTensor& held : tensors) {
            list.push_back(&held);
        }
        return list;
    };
    return usage_error_message(
        [&] { check_call(op, testing::test_arch(), spec, pointers(inputs), pointers(outputs)); });
}

/// A product of 24 tokens, H 256, two experts with 512 columns, in six CTAs of 8.
struct Product {
    GroupedMatmulSpec spec{.tile = 8, .grid = {}, .row_chunk = 1, .k_push = 1, .cb_depth = 1};
    std::vector<DeviceTensor> inputs{tensor({24, 256}, DataFormat::Fp8_e4m3),
                                     tensor({2, 24}, DataFormat::Float32),
                                     tensor({2, 512, 256}, DataFormat::Fp8_e4m3, Layout::TILE),
                                     tensor({2, 4, 2}, DataFormat::Float32),
                                     tensor({6}, DataFormat::Int32),
                                     tensor({6}, DataFormat::Int32),
                                     tensor({1}, DataFormat::Int32),
                                     tensor({48}, DataFormat::Int32)};
    std::vector<DeviceTensor> outputs{tensor({48, 512}, DataFormat::Fp8_e4m3),
                                      tensor({4, 48}, DataFormat::Float32)};

    [[nodiscard]] std::string refused() const {
        return refusal(fp8_grouped_matmul::op(), &spec, inputs, outputs);
    }
};

TEST(Fp8GroupedMatmulErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Product{}.refused(), "(nothing thrown)");
}

TEST(Fp8GroupedMatmulErrors, AScaleOfAnotherShapeIsToldTheExpectedOne) {
    Product product;
    product.inputs[1].spec.shape = {24, 2};
    EXPECT_EQ(product.refused(),
              "fp8_grouped_matmul: activation_scale is (24,2) float32 ROW_MAJOR; allowed: (2,24) "
              "float32 ROW_MAJOR");
}

TEST(Fp8GroupedMatmulErrors, AScaleOfWeightsOfAnotherShapeIsToldTheExpectedOne) {
    Product product;
    product.inputs[3].spec.shape = {2, 2, 4};
    EXPECT_EQ(product.refused(),
              "fp8_grouped_matmul: weight_scale is (2,2,4) float32 ROW_MAJOR; allowed: (2,4,2) "
              "float32 ROW_MAJOR");
}

TEST(Fp8GroupedMatmulErrors, ABlockThatDoesNotDivideIsNamed) {
    Product product;
    product.inputs[0].spec.shape = {24, 200};
    product.inputs[2].spec.shape = {2, 512, 200};
    product.inputs[1].spec.shape = {1, 24};
    product.inputs[3].spec.shape = {2, 4, 1};
    EXPECT_EQ(product.refused(),
              "fp8_grouped_matmul: weights have K = 200; allowed: a multiple of 128");
}

TEST(Fp8GroupedMatmulErrors, APushOfNoBlocksIsRefusedByItsOwnName) {
    Product product;
    product.spec.row_chunk = 0;
    EXPECT_EQ(product.refused(), "fp8_grouped_matmul: row_chunk is 0; allowed: at least 1");
}

TEST(Fp8GroupedMatmulErrors, WeightsInOtherShardsAreRefused) {
    Product product;
    Buffer& buffer = product.inputs[2].buffer;
    buffer.layout = TensorMemoryLayout::BLOCK_SHARDED;
    buffer.shard = ShardSpec{.cores = CoreRange({0, 0}, {1, 0}),
                             .shard_shape = {4, 8},
                             .tensor_shape = {32, 8},
                             .noc_coords = {}};
    EXPECT_EQ(product.refused(),
              "fp8_grouped_matmul: weights are in other shards than those of 128 x 32 that go "
              "round the banks of DRAM; allowed: no memory stated, interleaved, or {layout: block, "
              "shard: [128, 32]}");
}

TEST(Fp8GroupedMatmulErrors, AnotherTileThanThatOfTheTablesIsRefused) {
    Product product;
    product.spec.tile = 16;
    EXPECT_EQ(product.refused(),
              "fp8_grouped_matmul: permuted_idx_to_token_idx have 48 rows; 6 CTAs of tile 16 have "
              "96");
}

TEST(Fp8GroupedMatmulErrors, CodesNeedTheirScales) {
    Product product;
    product.outputs.pop_back();
    EXPECT_EQ(product.refused(),
              "fp8_grouped_matmul: output_scale is missing; required with codes");
}

TEST(MoePermutationErrors, ATileThatNoProductTakesIsRefused) {
    const PermutationSpec spec{.experts = 4, .local_experts = 4, .tile = 24};
    const std::string text =
        refusal(moe_permutation::op(), &spec, {tensor({2, 2}, DataFormat::Int32)}, {});
    EXPECT_EQ(text, "moe_permutation: tile is 24; allowed: 8, 16, 32, 64, 128");
}

TEST(MoePermutationErrors, LocalExpertsBehindTheLastOneAreRefused) {
    const PermutationSpec spec{
        .experts = 4, .local_experts = 2, .local_expert_offset = 3, .tile = 8};
    EXPECT_EQ(refusal(moe_permutation::op(), &spec, {tensor({2, 2}, DataFormat::Int32)}, {}),
              "moe_permutation: local_expert_offset 3 with 2 local experts on 1 devices ends at "
              "expert 5; the layer has 4");
}

TEST(MoeSelectExpertsErrors, MoreExpertsThanTheGroupsHaveAreRefused) {
    const SelectExpertsSpec spec{.n_group = 4, .topk_group = 2, .top_k = 9, .grid = {}};
    EXPECT_EQ(refusal(moe_select_experts::op(), &spec, {tensor({3, 16}, DataFormat::Float32)}, {}),
              "moe_select_experts: top_k is 9; allowed: 1 to 8, the experts of 2 of 4 groups");
}

TEST(Fp8SwigluErrors, HalvesThatBlocksDoNotDivideAreRefused) {
    const SwigluSpec spec{.tile = 8, .grid = {}, .cb_depth = 1};
    EXPECT_EQ(
        refusal(fp8_swiglu::op(), &spec,
                {tensor({8, 384}, DataFormat::Fp8_e4m3), tensor({3, 8}, DataFormat::Float32),
                 tensor({1}, DataFormat::Int32), tensor({1}, DataFormat::Int32)},
                {tensor({8, 192}, DataFormat::Fp8_e4m3), tensor({1, 8}, DataFormat::Float32)}),
        "fp8_swiglu: input has 384 columns; allowed: halves of whole blocks of 128; a half has "
        "192");
}

}  // namespace
}  // namespace tessera::ops
