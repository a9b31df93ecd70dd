// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_input_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden/golden_file.hpp"

namespace tessera::run {
namespace {

using testing::ElementsAre;

MoeInputFile golden_inputs(const std::string& stem) {
    return MoeInputFile(golden::directory() + stem + ".safetensors");
}

TEST(MoeInputFile, GivesTheShapesOfTheLayer) {
    const MoeInputFile file = golden_inputs("v2_d2_uneven");

    std::vector<std::string> shapes;
    for (const config::Override& shape : file.shapes()) {
        shapes.push_back(shape.path + "=" + shape.value);
    }
    EXPECT_EQ(file.num_devices(), 2U);
    EXPECT_THAT(shapes,
                ElementsAre("workload.tokens=40", "workload.hidden=80", "workload.intermediate=96",
                            "workload.experts=8", "workload.top_k=3"));
    EXPECT_EQ(file.shapes().front().origin, file.path() + ": hidden_states");
}

// v2_d4_mid maps experts by a permutation.
TEST(MoeInputFile, GathersADevicesWeightsInTheOrderOfTheMapping) {
    const golden::GoldenFile golden("v2_d4_mid");
    const auto mapping = golden.tensor("device_expert_mapping").as<std::int32_t>();
    const auto all = golden.tensor("down_weights").as<std::uint16_t>();
    const std::size_t size = std::size_t{96} * 128;

    const HostTensor own = golden_inputs("v2_d4_mid").inputs().make_weights(Projection::Down, 2);

    ASSERT_EQ(own.shape, (Shape{4, 96, 128}));
    for (std::size_t i = 0; i < 4; ++i) {
        const auto expert = static_cast<std::size_t>(mapping.at(2 * 4 + i));
        EXPECT_TRUE(std::ranges::equal(own.as<std::uint16_t>().subspan(i * size, size),
                                       std::span(all).subspan(expert * size, size)))
            << "expert " << expert;
    }
}

TEST(MoeInputFile, StaysOpenAsLongAsItsInputs) {
    MoeInputs inputs;
    { inputs = golden_inputs("v2_d1_basic").inputs(); }

    EXPECT_EQ(inputs.make_weights(Projection::Gate, 0).bytes,
              golden::GoldenFile("v2_d1_basic").tensor("gate_weights").bytes);
}

}  // namespace
}  // namespace tessera::run
