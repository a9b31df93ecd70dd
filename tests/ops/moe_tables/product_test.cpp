// SPDX-License-Identifier: Apache-2.0
// Products of expert rows against their references, in memory filled with NaN.
#include <gmock/gmock.h>

#include "ops/grouped_mm/grouped_mm.hpp"
#include "ops/masked_mm/masked_mm.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/op_run.hpp"
#include "tests/ops/routing_workload.hpp"

namespace tessera::ops {
namespace {

using testing::host_tensor;
using testing::OpInput;
using testing::random_bf16_tensor;
using testing::run_op;

HostTensor ints(Shape shape, const std::vector<std::int32_t>& values) {
    return host_tensor(std::move(shape), DataFormat::Int32, values);
}

/// Expects rows that the reference defines to be close to it, and each other row to be unwritten.
/// The reference is NaN in undefined rows.
void expect_product(const testing::OpRun& run) {
    const auto result = run.outputs[0].as<std::uint16_t>();
    const auto wanted = run.references[0].as<float>();
    std::size_t num_rows = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (std::isnan(wanted[i])) {
            ASSERT_EQ(result[i], 0xFFFF) << i;
            continue;
        }
        ++num_rows;
        const float value = std::bit_cast<float>(std::uint32_t{result[i]} << 16U);
        ASSERT_NEAR(value, wanted[i], 0.005 * std::max(1.0F, std::fabs(wanted[i]))) << i;
    }
    EXPECT_GT(num_rows, 0U);
}

/// Four choices of three experts, blocks of 4: expert 1 has choices 0 and 3, expert 0 choice 2, and
/// another device's expert choice 1.
const std::vector<OpInput> kList{{ints({16}, {2, 4, 4, 4, 0, 3, 4, 4, 1, 4, 4, 4, 4, 4, 4, 4})},
                                 {ints({4}, {0, 1, -1, -1})},
                                 {ints({1}, {12})}};

std::vector<OpInput> with_list(HostTensor rows, HostTensor weights) {
    std::vector<OpInput> inputs{{std::move(rows)}, {std::move(weights), Layout::TILE}};
    inputs.insert(inputs.end(), kList.begin(), kList.end());
    return inputs;
}

grouped_mm::GroupedSpec small_spec() {
    grouped_mm::GroupedSpec spec;
    spec.strip = 2;
    spec.k_block = 2;
    spec.k_chunk = 1;
    spec.cb_depth = 2;
    spec.block_size = 4;
    spec.top_k = 2;
    return spec;
}

TEST(GroupedMm, GathersRowsByChoiceAndWritesZerosForOtherDevicesExperts) {
    for (const auto delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        const auto run =
            run_op(grouped_mm::op(), small_spec(),
                   with_list(random_bf16_tensor({2, 70}, 1), random_bf16_tensor({2, 100, 70}, 2)),
                   testing::test_arch(), {.threads = 2, .delivery = delivery, .seed = 5});

        expect_product(run);
        EXPECT_EQ(run.outputs[0].as<std::uint16_t>()[100], 0);  // choice 1
    }
}

TEST(GroupedMm, WeighsRows) {
    auto inputs = with_list(random_bf16_tensor({2, 64}, 1), random_bf16_tensor({2, 33, 64}, 2));
    inputs.push_back({host_tensor<float>({2, 2}, DataFormat::Float32, {0.5F, 9, 0.25F, 2})});

    expect_product(run_op(grouped_mm::op(), small_spec(), inputs, testing::test_arch()));
}

TEST(GroupedMm, LeavesRowsByPlaceWhereTheyLie) {
    grouped_mm::GroupedSpec spec = small_spec();
    spec.num_choices = 4;
    spec.input_rows = spec.output_rows = grouped_mm::RowsBy::Place;

    expect_product(
        run_op(grouped_mm::op(), spec,
               with_list(random_bf16_tensor({16, 40}, 1), random_bf16_tensor({2, 40, 40}, 2)),
               testing::test_arch()));
}

TEST(MaskedMm, MultipliesTheFirstRowsOfEachBatch) {
    masked_mm::MaskedSpec spec;
    spec.strip = 3;
    spec.k_block = 4;
    spec.k_chunk = 2;
    spec.cb_depth = 2;

    for (const bool is_paged : {false, true}) {
        const HostTensor counts =
            is_paged ? host_tensor<std::uint32_t>({3, 1}, DataFormat::UInt32, {0, 40, 5})
                     : ints({3}, {0, 40, 5});
        expect_product(run_op(masked_mm::op(), spec,
                              {{random_bf16_tensor({3, 40, 72}, 1)},
                               {random_bf16_tensor({3, 130, 72}, 2), Layout::TILE},
                               {counts}},
                              testing::test_arch()));
    }
}

}  // namespace
}  // namespace tessera::ops
