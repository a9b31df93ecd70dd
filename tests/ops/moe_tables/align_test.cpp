// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/batched_moe_align_block_size/batched_moe_align_block_size.hpp"
#include "ops/expert_eltwise/expert_eltwise.hpp"
#include "ops/fp8_swiglu/fp8_swiglu.hpp"
#include "ops/gather_columns/gather_columns.hpp"
#include "ops/moe_align_block_size/moe_align_block_size.hpp"
#include "ops/moe_batch_tokens/moe_batch_tokens.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/held_values.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops {
namespace {

using testing::golden_tensor;
using testing::host_tensor;
using testing::OpInput;
using testing::run_op;
using testing::values_of;

HostTensor ints(Shape shape, const std::vector<std::int32_t>& values) {
    return host_tensor(std::move(shape), DataFormat::Int32, values);
}

class GoldenAlign : public ::testing::TestWithParam<std::size_t> {
protected:
    [[nodiscard]] const nlohmann::json& case_of() const {
        return file_.entry().at("params").at("cases").at(GetParam());
    }
    [[nodiscard]] HostTensor tensor(const std::string& name) const {
        return golden_tensor(file_, "c" + std::to_string(GetParam()) + "." + name);
    }
    golden::GoldenFile file_{"align_cases"};
};

TEST_P(GoldenAlign, GivesTheGoldenTables) {
    const auto& params = case_of();
    const moe_align_block_size::AlignSpec spec{
        .block_size = params.at("B"),
        .num_experts = params.at("E"),
        .ignore_invalid_experts = params.value("ignore", false),
        .pad_sorted_ids = params.value("pad", false)};
    std::vector<OpInput> inputs{{tensor("topk_ids")}};
    if (params.contains("map")) {
        inputs.push_back({tensor("expert_map")});
    }
    for (const auto delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        const auto run = run_op(moe_align_block_size::op(), spec, inputs, testing::test_arch(),
                                {.threads = 2, .delivery = delivery, .seed = 3});

        EXPECT_EQ(run.outputs[0].bytes, tensor("sorted_token_ids").bytes);
        EXPECT_EQ(run.outputs[1].bytes, tensor("expert_ids").bytes);
        EXPECT_EQ(run.outputs[2].bytes, tensor("num_tokens_post_padded").bytes);
        EXPECT_EQ(run.outputs[3].bytes, run.references[3].bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenAlign, ::testing::Range(std::size_t{0}, std::size_t{14}));

class GoldenBatchedAlign : public ::testing::TestWithParam<std::size_t> {};

TEST_P(GoldenBatchedAlign, GivesTheGoldenTables) {
    const golden::GoldenFile file("align_batched");
    const auto& params = file.entry().at("params").at("cases").at(GetParam());
    const std::string prefix = "c" + std::to_string(GetParam()) + ".";
    const batched_moe_align_block_size::BatchedAlignSpec spec{
        .max_tokens_per_batch = params.at("M"), .block_size = params.at("B")};

    const auto run =
        run_op(batched_moe_align_block_size::op(), spec,
               {{golden_tensor(file, prefix + "expert_num_tokens")}}, testing::test_arch());

    EXPECT_EQ(run.outputs[0].bytes, golden_tensor(file, prefix + "sorted_token_ids").bytes);
    EXPECT_EQ(run.outputs[1].bytes, golden_tensor(file, prefix + "expert_ids").bytes);
    EXPECT_EQ(run.outputs[2].bytes, golden_tensor(file, prefix + "num_tokens_post_padded").bytes);
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenBatchedAlign,
                         ::testing::Range(std::size_t{0}, std::size_t{3}));

TEST(MoeAlignBlockSize, LeavesOutTokensBehindTheirNumber) {
    const moe_align_block_size::AlignSpec spec{.block_size = 4, .num_experts = 2};

    const auto run = run_op(moe_align_block_size::op(), spec,
                            {{ints({3, 2}, {0, 1, 1, 0, 1, 0})},
                             {ints({2}, {0, 1})},
                             {host_tensor<std::uint32_t>({1, 1}, DataFormat::UInt32, {2})}},
                            testing::test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]),
                ::testing::ElementsAre(0, 3, 6, 6, 1, 2, 6, 6, 6, 6, 6, 6));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[3]),
                ::testing::ElementsAre(0, 4, 5, 1, -1, -1));
}

std::string message_of(const Op& op, ParameterRef parameters,
                       const std::vector<HostTensor>& inputs) {
    std::vector<std::vector<HostTensor>> held;
    for (const HostTensor& input : inputs) {
        held.push_back({input});
    }
    return usage_error_message([&] { op.check_values(testing::HeldStep(parameters, held).at()); });
}

TEST(MoeAlignBlockSize, NamesAnIdThatIsNoExpert) {
    const moe_align_block_size::AlignSpec spec{.block_size = 4, .num_experts = 2};
    const Op& op = moe_align_block_size::op();
    const HostTensor two = host_tensor<std::uint32_t>({1, 1}, DataFormat::UInt32, {2});

    EXPECT_EQ(message_of(op, &spec, {ints({2, 2}, {0, 1, -2, 1})}),
              "moe_align_block_size: topk_ids(1,0) is -2; allowed: -1 (none) and 0 to 2147483647");
    // Rows after the tokens contain nothing.
    EXPECT_NO_THROW(op.check_values(
        testing::HeldStep(&spec, {{ints({3, 1}, {0, 1, 77})}, {ints({2}, {0, 1})}, {two}}).at()));
    EXPECT_EQ(message_of(op, &spec, {ints({1, 2}, {0, 1}), ints({2}, {0, 1}), two}),
              "moe_align_block_size: num_tokens(0,0) is 2; allowed: 0 to 1");
}

TEST(CheckedTables, NameCountsAndLimitsOutOfRange) {
    const batched_moe_align_block_size::BatchedAlignSpec align{.max_tokens_per_batch = 8,
                                                               .block_size = 4};
    EXPECT_EQ(message_of(batched_moe_align_block_size::op(), &align, {ints({2}, {8, 9})}),
              "batched_moe_align_block_size: expert_num_tokens(1) is 9; allowed: 0 to 8");
    const HostTensor rows = ints({2, 4, 1}, std::vector<std::int32_t>(8));
    const HostTensor counts = host_tensor<std::uint32_t>({2, 1}, DataFormat::UInt32, {4, 5});
    EXPECT_EQ(message_of(moe_bmm::op(), nullptr, {rows, rows, counts}),
              "moe_bmm: num_routed_tokens(1,0) is 5; allowed: 0 to 4");
    EXPECT_EQ(message_of(expert_eltwise::silu(), nullptr, {rows, counts}),
              "silu: num_routed_tokens(1,0) is 5; allowed: 0 to 4");
    EXPECT_EQ(message_of(gather_columns::op(), nullptr, {ints({1, 2}, {0, 0}), ints({2}, {-1, 2})}),
              "gather_columns: indices(1) is 2; allowed: -1 (none) and 0 to 1");
    // The second of two CTAs of 8 rows ends after its rows.
    const SwigluSpec swiglu{.tile = 8};
    EXPECT_EQ(
        message_of(fp8_swiglu::op(), &swiglu, {rows, rows, ints({2}, {5, 17}), ints({1}, {2})}),
        "fp8_swiglu: cta_idx_xy_to_mn_limit(1) is 17; allowed: 8 to 16, the end of the CTA's "
        "rows");
    EXPECT_EQ(
        message_of(fp8_swiglu::op(), &swiglu, {rows, rows, ints({2}, {5, 17}), ints({1}, {3})}),
        "fp8_swiglu: num_non_exiting_ctas(0) is 3; allowed: 0 to 2");
}

TEST(MoeBatchTokens, NamesAnExpertThatATokenSelectsTwice) {
    const moe_batch_tokens::BatchSpec spec{.num_local_experts = 2, .max_num_tokens = 4};

    EXPECT_EQ(message_of(moe_batch_tokens::op(), &spec,
                         {ints({2, 3}, {0, -1, -1, 1, 0, 1}), ints({2}, {0, 1})}),
              "moe_batch_tokens: topk_ids(1,2) is 1, as is topk_ids(1,0); a token selects an "
              "expert once");
    EXPECT_EQ(message_of(moe_batch_tokens::op(), &spec, {ints({1, 2}, {0, 2}), ints({2}, {0, 1})}),
              "moe_batch_tokens: topk_ids(0,1) is 2; allowed: -1 (none) and 0 to 1");
}

TEST(MoeBatchTokens, DropsLaterTokensWhereAnExpertHasNoRoom) {
    const moe_batch_tokens::BatchSpec spec{.num_local_experts = 2, .max_num_tokens = 2};

    const auto run =
        run_op(moe_batch_tokens::op(), spec,
               {{ints({4, 2}, {0, 2, 2, 1, 2, -1, 3, 2})}, {ints({4}, {-1, -1, 1, 0})}},
               testing::test_arch());

    EXPECT_THAT(values_of<std::int32_t>(run.outputs[0]), ::testing::ElementsAre(1, 2));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[1]), ::testing::ElementsAre(3, -1, 0, 1));
    EXPECT_THAT(values_of<std::int32_t>(run.outputs[2]),
                ::testing::ElementsAre(-1, 2, 3, -1, -1, -1, 0, -1));
    EXPECT_THAT(values_of<std::uint32_t>(run.outputs[3]), ::testing::ElementsAre(1, 2));
}

}  // namespace
}  // namespace tessera::ops
