// SPDX-License-Identifier: Apache-2.0
// Least work of single ops: expected bytes are worked out from shapes and counts.
#include <gtest/gtest.h>

#include "ops/bound.hpp"
#include "ops/grouped_mm/grouped_mm.hpp"
#include "ops/linear/linear.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/rms_norm/rms_norm.hpp"
#include "tests/ops/held_values.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops {
namespace {

using testing::HeldValues;
using testing::host_tensor;

constexpr auto kBf16 = DataFormat::Float16_b;

/// A call on one device: plans of its operands, and the values of integer inputs.
struct Call {
    std::vector<TensorPlan> inputs;
    std::vector<TensorPlan> outputs;
    std::vector<std::vector<std::shared_ptr<const OperandValues>>> values = {};
    std::vector<std::vector<ElementRange>> valid = {};
};

TensorPlan plan(Shape shape, DataFormat format = kBf16) {
    return {.spec = {std::move(shape), format}};
}

LeastWork work_of_call(const Op& op, ParameterRef parameters, const Call& call) {
    return least_work(op, {.spec = op.spec,
                           .parameters = parameters,
                           .input_plans = call.inputs,
                           .output_plans = call.outputs,
                           .inputs = call.values,
                           .counts = [](const Operand&) { return std::vector<std::uint32_t>{}; },
                           .valid = call.valid});
}

// 8 × 7168 and 64 × 7168 elements are read and 8 × 64 written, of 2 bytes each.
TEST(OpBounds, OfALinearAreAllOperandsOnce) {
    const linear::LinearSpec spec;

    const LeastWork work =
        work_of_call(linear::op(), &spec, {{plan({8, 7168}), plan({64, 7168})}, {plan({8, 64})}});

    EXPECT_EQ(work.dram_bytes, 114688 + 917504 + 1024);
    EXPECT_EQ(work.products, 8 * 64 * 7168);
}

// Two experts of 64 x 32 with 3 and 0 tokens of 32 rows. Rows of 3 tokens and one matrix are read,
// the output is written whole: its other rows are zeros.
TEST(OpBounds, OfAProductOfRoutedTokensHaveTheZerosOfTheOutput) {
    const MoeBmmSpec spec{.grid = {}, .k_block = 1, .cb_depth = 1};
    const std::vector<TensorPlan> inputs{plan({2, 32, 64}), plan({2, 64, 32}),
                                         plan({2, 1}, DataFormat::UInt32)};
    const std::vector<TensorPlan> outputs{plan({2, 32, 32})};

    const LeastWork work = least_work(
        moe_bmm::op(), {.spec = moe_bmm::op().spec,
                        .parameters = &spec,
                        .input_plans = inputs,
                        .output_plans = outputs,
                        .counts = [](const Operand& operand) {
                            return operand.valid_rows.empty() ? std::vector<std::uint32_t>{}
                                                              : std::vector<std::uint32_t>{3, 0};
                        }});

    EXPECT_EQ(work.dram_bytes, 3 * 64 * 2 + 64 * 32 * 2 + 2 * 4 + 2 * 32 * 32 * 2);
    EXPECT_EQ(work.products, 3 * 32 * 64);
}

TEST(OpBounds, OfANormAreItsRowsTwiceAndItsWeightsOnce) {
    const NormSpec spec;

    const LeastWork work =
        work_of_call(rms_norm::op(), &spec, {{plan({8, 7168}), plan({7168})}, {plan({8, 7168})}});

    EXPECT_EQ(work.dram_bytes, 2 * 114688 + 14336);
}

// The list ends after two of its four blocks, which have expert 2 twice: one matrix of 64 × 32. Five
// rows of 64 of the output are valid.
TEST(OpBounds, OfAGroupedProductAreTheMatricesOfListedBlocks) {
    grouped_mm::GroupedSpec spec;
    spec.block_size = 4;
    const auto held = [](HostTensor tensor) {
        return std::vector<std::shared_ptr<const OperandValues>>{
            std::make_shared<HeldValues>(std::move(tensor))};
    };

    const LeastWork work =
        work_of_call(grouped_mm::op(), &spec,
                     {{plan({8, 32}), plan({3, 64, 32}), plan({16}, DataFormat::Int32),
                       plan({4}, DataFormat::Int32), plan({1}, DataFormat::Int32)},
                      {plan({8, 64})},
                      {{},
                       {},
                       {},
                       held(host_tensor<std::int32_t>({4}, DataFormat::Int32, {2, 2, 0, 1})),
                       held(host_tensor<std::int32_t>({1}, DataFormat::Int32, {8}))},
                      {{{.first = 0, .count = 5 * 64}}}});

    EXPECT_EQ(work.dram_bytes, 64 * 32 * 2 + 5 * 64 * 2);
    EXPECT_EQ(work.products, 5 * 64 * 32);
}

}  // namespace
}  // namespace tessera::ops
