// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <hwy/targets.h>

#include "ops/moe_bmm/expert_reference.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "tests/ops/moe_bmm/bmm_run.hpp"

namespace tessera::ops::moe_bmm {
namespace {

TEST(MoeBmmReference, IsEachExpertsProductByHand) {
    const auto input =
        testing::host_tensor<float>({2, 2, 2}, DataFormat::Float32, {1, 2, 3, 4, 5, 6, 7, 8});
    const auto weights = testing::host_tensor<float>({2, 2, 3}, DataFormat::Float32,
                                                     {1, 0, 2, 0, 1, 3, 1, 1, 1, -1, 0, 1});

    const HostTensor output = reference({input, weights, {2, 1}});

    EXPECT_THAT(output.as<float>(),
                ::testing::ElementsAre(1, 2, 8, 3, 4, 18,  // expert 0, both rows
                                       -1, 5, 11, 0, 0, 0));
}

TEST(MoeBmmReference, IsTheSameInDoubleLoopsOverAllStrips) {
    const std::vector<std::uint32_t> counts{3};
    const HostTensor input = testing::routed_values({1, 5, 70}, counts, 1);
    const HostTensor weights = make_normal_bf16({1, 70, 300}, {.seed = 2});

    const HostTensor output = reference({input, weights, counts});

    for (std::size_t row = 0; row < 5; ++row) {
        for (std::size_t column = 0; column < 300; ++column) {
            double sum = 0;
            for (std::size_t k = 0; k < 70 && row < 3; ++k) {
                sum += static_cast<double>(bf16_to_float(input.as<std::uint16_t>()[row * 70 + k])) *
                       bf16_to_float(weights.as<std::uint16_t>()[k * 300 + column]);
            }
            ASSERT_FLOAT_EQ(output.as<float>()[row * 300 + column], static_cast<float>(sum))
                << row << ", " << column;
        }
    }
}

// Returns rows from `first` on of a (1,K,N) bfloat16 matrix.
HostTensor rows_of(const HostTensor& matrix, std::uint32_t first, std::uint32_t count) {
    const std::uint32_t columns = matrix.shape[2];
    HostTensor rows = make_host_tensor({1, count, columns}, DataFormat::Float16_b);
    const auto from = matrix.as<std::uint16_t>().subspan(first * columns, count * columns);
    std::ranges::copy(from, rows.as<std::uint16_t>().begin());
    return rows;
}

TEST(MoeBmmReference, IsTheSameFromPartsOfTheWeightsForAnyNumberOfTokens) {
    for (std::uint32_t tokens = 0; tokens <= 6; ++tokens) {
        const std::vector<std::uint32_t> counts{tokens};
        const HostTensor input = testing::routed_values({1, 6, 160}, counts, 1);
        const HostTensor weights = make_normal_bf16({1, 160, 72}, {.seed = 2});
        ExpertReference sums(input, 0, tokens, {0, 72});
        std::vector<float> output(6 * 72);

        sums.add(rows_of(weights, 0, 32), 0, 0, 32);
        sums.add(weights, 32, 32, 128);
        sums.store(output, 72);

        const HostTensor whole = reference({input, weights, counts});
        EXPECT_TRUE(std::ranges::equal(whole.as<float>(), output)) << tokens << " tokens";
    }
}

TEST(MoeBmmReference, IsTheSameToTheByteInVectorsOfAnyWidth) {
    const std::vector<std::uint32_t> counts{7};
    const HostTensor input = testing::routed_values({1, 7, 200}, counts, 1);
    const HostTensor weights = make_normal_bf16({1, 200, 96}, {.seed = 2});
    const HostTensor expected = reference({input, weights, counts});

    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().DeInit();
        EXPECT_EQ(reference({input, weights, counts}).bytes, expected.bytes)
            << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
}

}  // namespace
}  // namespace tessera::ops::moe_bmm
