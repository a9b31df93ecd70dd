// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tessera::score {
namespace {

using testing::ElementsAre;

const Prediction kOne{1, 2, 4, {{1, 2, 4}, {2, 2, 2}}, timing::Regime::Links};
const Prediction kTwo{10, 20, 40, {{10, 20, 40}, {20, 20, 20}}, timing::Regime::Compute};

TEST(Prediction, ConvertsEachOfItsSamples) {
    const Prediction inverse = kOne.as([](double figure) { return 8 / figure; });

    EXPECT_EQ(inverse.low, 2);
    EXPECT_EQ(inverse.expected, 4);
    EXPECT_EQ(inverse.high, 8);
    EXPECT_THAT(inverse.samples.a, ElementsAre(8, 4, 2));
    EXPECT_THAT(inverse.samples.b, ElementsAre(4, 4, 4));
    EXPECT_EQ(inverse.regime, timing::Regime::Links);
}

TEST(Prediction, CombinesTwoSampleBySample) {
    const Prediction sum = Prediction::combined(kOne, kTwo, std::plus<>());

    EXPECT_EQ(sum.expected, 22);
    EXPECT_THAT(sum.samples.a, ElementsAre(11, 22, 44));
}

TEST(Prediction, ExtendsALineThroughTwo) {
    EXPECT_EQ(extended(kOne, kTwo, 3).expected, 2 + 2 * 18);
    EXPECT_THAT(extended(kOne, kTwo, 3).samples.a, ElementsAre(19, 38, 76));
}

}  // namespace
}  // namespace tessera::score
