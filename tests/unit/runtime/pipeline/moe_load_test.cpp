// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace tessera::run {
namespace {

// Three tokens of two experts each; experts 2 and 0 on device 0, 1 and 3 on device 1.
TEST(MoeLoad, CountsTheTokensOfEachExpertInTheOrderOfTheDevices) {
    MoeInputs inputs;
    inputs.selected_experts = make_host_tensor({3, 2}, DataFormat::UInt32);
    std::ranges::copy(std::array<std::uint32_t, 6>{0, 1, 0, 2, 1, 0},
                      inputs.selected_experts.as<std::uint32_t>().begin());
    inputs.device_expert_mapping = make_host_tensor({2, 2}, DataFormat::Int32);
    std::ranges::copy(std::array<std::int32_t, 4>{2, 0, 1, 3},
                      inputs.device_expert_mapping.as<std::int32_t>().begin());

    const report::MoeLoad load = moe_load(inputs, OpsSpec{});

    EXPECT_EQ(load.top_k, 2U);
    ASSERT_EQ(load.experts.size(), 4U);
    constexpr std::array<std::array<std::uint32_t, 3>, 4> kExpected{
        {{2, 0, 1}, {0, 0, 3}, {1, 1, 2}, {3, 1, 0}}};  // expert, device, tokens
    for (std::size_t i = 0; i < kExpected.size(); ++i) {
        EXPECT_EQ(load.experts[i].expert, kExpected[i][0]);
        EXPECT_EQ(load.experts[i].device, kExpected[i][1]);
        EXPECT_EQ(load.experts[i].tokens, kExpected[i][2]);
    }
    EXPECT_THAT(load.launches, testing::Contains("gate"));
    EXPECT_THAT(load.launches, testing::Not(testing::Contains("all_reduce")));
}

}  // namespace
}  // namespace tessera::run
