// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "emu/base/bf16.hpp"

namespace tessera::run {
namespace {

RunSpec small_run(ExpertMapping mapping) {
    RunSpec run;
    run.mesh.shape = {1, 2};
    run.workload = {.tokens = 40,
                    .hidden = 64,
                    .intermediate = 96,
                    .experts = 4,
                    .top_k = 2,
                    .device_expert_mapping = mapping,
                    .seed = 7};
    return run;
}

double rms(const HostTensor& tensor) {
    double square = 0;
    for (const std::uint16_t bits : tensor.as<std::uint16_t>()) {
        square += std::pow(static_cast<double>(bf16_to_float(bits)), 2);
    }
    return std::sqrt(square / static_cast<double>(tensor.bytes.size() / 2));
}

std::vector<std::uint16_t> expert_of(const HostTensor& weights, std::size_t index) {
    const std::size_t size = weights.bytes.size() / 2 / weights.shape.at(0);
    const auto values = weights.as<std::uint16_t>().subspan(index * size, size);
    return {values.begin(), values.end()};
}

TEST(DrawnMoeInputs, HaveTheShapesOfTheWorkload) {
    const MoeInputs inputs = draw_moe_inputs(small_run(ExpertMapping::Contiguous));

    EXPECT_EQ(inputs.hidden_states.shape, (Shape{40, 64}));
    EXPECT_EQ(inputs.selected_experts.shape, (Shape{40, 2}));
    EXPECT_EQ(inputs.routing_weights.shape, (Shape{40, 2}));
    EXPECT_EQ(inputs.device_expert_mapping.shape, (Shape{2, 2}));
    EXPECT_EQ(inputs.make_weights(Projection::Gate, 0).shape, (Shape{2, 64, 96}));
    EXPECT_EQ(inputs.make_weights(Projection::Up, 1).shape, (Shape{2, 64, 96}));
    EXPECT_EQ(inputs.make_weights(Projection::Down, 1).shape, (Shape{2, 96, 64}));
}

// 2 × 6144 normal values: the rms is within 4 / √(2 · 12288) = 2.6 % of the deviation.
TEST(DrawnMoeInputs, HaveWeightsThatKeepTheSizeOfTheirInput) {
    const MoeInputs inputs = draw_moe_inputs(small_run(ExpertMapping::Contiguous));

    EXPECT_NEAR(rms(inputs.make_weights(Projection::Gate, 0)) * std::sqrt(64.0), 1, 0.026);
    EXPECT_NEAR(rms(inputs.make_weights(Projection::Down, 0)) * std::sqrt(96.0), 1, 0.026);
}

TEST(DrawnMoeInputs, HaveOtherWeightsForEachExpertAndProjection) {
    const MoeInputs inputs = draw_moe_inputs(small_run(ExpertMapping::Contiguous));
    const HostTensor gate = inputs.make_weights(Projection::Gate, 0);

    EXPECT_NE(expert_of(gate, 0), expert_of(gate, 1));
    EXPECT_NE(gate.bytes, inputs.make_weights(Projection::Up, 0).bytes);
    EXPECT_EQ(gate.bytes, inputs.make_weights(Projection::Gate, 0).bytes);
}

// Contiguous: device 1 holds experts 2 and 3; round robin: 1 and 3.
TEST(DrawnMoeInputs, GiveAnExpertItsWeightsWhicheverDeviceHoldsIt) {
    const MoeInputs contiguous = draw_moe_inputs(small_run(ExpertMapping::Contiguous));
    const MoeInputs round_robin = draw_moe_inputs(small_run(ExpertMapping::RoundRobin));

    const HostTensor a0 = contiguous.make_weights(Projection::Up, 0);
    const HostTensor a1 = contiguous.make_weights(Projection::Up, 1);
    const HostTensor b1 = round_robin.make_weights(Projection::Up, 1);

    EXPECT_EQ(expert_of(a0, 1), expert_of(b1, 0));
    EXPECT_EQ(expert_of(a1, 1), expert_of(b1, 1));
}

}  // namespace
}  // namespace tessera::run
