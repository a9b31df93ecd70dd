// SPDX-License-Identifier: Apache-2.0
// References of ops over an expert's first rows: with float32 inputs, as in chained references, and
// with rows of tokens only.
#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/expert_eltwise/expert_eltwise.hpp"
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/held_values.hpp"

namespace tessera::ops {
namespace {

using ::testing::ElementsAre;
using testing::HeldStep;
using testing::host_tensor;

HostTensor floats(Shape shape, const std::vector<float>& values) {
    return host_tensor(std::move(shape), DataFormat::Float32, values);
}

HostTensor counts(const std::vector<std::uint32_t>& values) {
    return host_tensor({static_cast<std::uint32_t>(values.size()), 1}, DataFormat::UInt32, values);
}

TensorSpec tiles(Shape shape) {
    return {std::move(shape), DataFormat::Float16_b, Layout::TILE};
}

std::vector<float> values_of(const std::vector<HostTensor>& outputs) {
    return testing::values_of<float>(outputs.at(0));
}

constexpr float kNan = NAN;  // in rows that hold no token

TEST(OpReference, OfMulHoldsTheRowsOfTokensOneBehindTheOther) {
    const HostTensor gate = floats({2, 2, 1}, {2, kNan, 3, 4});
    const HostTensor up = floats({2, 2, 1}, {5, kNan, 6, 7});
    const HeldStep step(nullptr, {{gate}, {up}, {counts({1, 2})}}, {tiles({2, 2, 1})});

    EXPECT_THAT(values_of(expert_eltwise::mul().reference(step.at())), ElementsAre(10, 18, 28));
}

TEST(OpReference, OfMoeBmmHoldsTheRowsOfTokensOneBehindTheOther) {
    const HostTensor input = floats({2, 2, 2}, {kNan, kNan, kNan, kNan, 1, 2, kNan, kNan});
    const HostTensor weights = floats({2, 2, 2}, {9, 9, 9, 9, 1, 10, 100, 1000});
    const HeldStep step(nullptr, {{input}, {weights}, {counts({0, 1})}}, {tiles({2, 2, 2})});

    EXPECT_THAT(values_of(moe_bmm::op().reference(step.at())),
                ElementsAre(1 * 1 + 2 * 100, 1 * 10 + 2 * 1000));
}

// Token 0: 2·0.5 from expert 0; token 1: 8·1 from expert 1; token 2: nothing.
TEST(OpReference, OfLocalReduceReadsTheRowsOfTokensOnly) {
    const LocalReduceSpec schedule{.accumulator = ReduceAccumulator::Fp32};
    const HostTensor rows = floats({2, 3, 1}, {2, kNan, kNan, 8, kNan, kNan});
    const HostTensor map =
        host_tensor<std::uint32_t>({2, 3}, DataFormat::UInt32, {0, 9, 9, 1, 9, 9});
    const HostTensor weights = host_tensor<std::uint16_t>(
        {2, 3}, DataFormat::Float16_b, {0x3F00, 0xFFFF, 0xFFFF, 0x3F80, 0xFFFF, 0xFFFF});
    const HeldStep step(&schedule, {{rows}, {map}, {weights}, {counts({1, 1})}});

    EXPECT_THAT(values_of(local_reduce_moe_output::op().reference(step.at())),
                ElementsAre(1, 8, 0));
}

TEST(OpReference, OfAllReduceIsTheSumOfAllDevices) {
    const HeldStep step(nullptr, {{floats({1, 2}, {1, 2}), floats({1, 2}, {10, 20})}});

    EXPECT_THAT(values_of(all_reduce::op().reference(step.at(1))), ElementsAre(11, 22));
}

}  // namespace
}  // namespace tessera::ops
