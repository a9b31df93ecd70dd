// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/moe_bmm/moe_bmm.hpp"
#include "tests/ops/routed_tokens.hpp"

namespace tessera::ops::moe_bmm {
namespace {

TEST(MoeBmmReference, IsEachExpertsProductByHand) {
    const auto input =
        testing::host_tensor<float>({2, 2, 2}, DataFormat::Float32, {1, 2, 3, 4, 5, 6, 7, 8});
    const auto weights = testing::host_tensor<float>({2, 2, 3}, DataFormat::Float32,
                                                     {1, 0, 2, 0, 1, 3, 1, 1, 1, -1, 0, 1});

    const HostTensor output = reference(input, weights, std::vector<std::uint32_t>{2, 1});

    EXPECT_THAT(output.as<float>(),
                ::testing::ElementsAre(1, 2, 8, 3, 4, 18,  // expert 0, both rows
                                       -1, 5, 11, 0, 0, 0));
}

TEST(MoeBmmReference, IsTheSameInDoubleLoopsOverAllStrips) {
    const std::vector<std::uint32_t> counts{3};
    const HostTensor input = testing::routed_values({1, 5, 70}, counts, 1);
    const HostTensor weights = make_normal_bf16({1, 70, 300}, {.seed = 2});

    const HostTensor output = reference(input, weights, counts);

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

}  // namespace
}  // namespace tessera::ops::moe_bmm
