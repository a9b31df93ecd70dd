// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/small_run.hpp"

namespace tessera::advise {
namespace {

const ConstantEffect& effect_of(const std::vector<ConstantEffect>& effects, std::string_view key) {
    const auto found = std::ranges::find(effects, key, &ConstantEffect::key);
    EXPECT_NE(found, effects.end()) << key;
    return *found;
}

TEST(Sensitivity, OfReadsIsThatOfTheirLatencyAndNotOfTheMathUnit) {
    const auto effects = sensitivity(test::run_of_reads(test::kCamping));

    const ConstantEffect& rate = effect_of(effects, "timing.dram.bank_read_rate");
    EXPECT_LT(rate.at_low, 0) << "a faster bank";
    EXPECT_GT(rate.at_high, 0);
    EXPECT_EQ(rate.low_value, "22.3 B/cycle");
    EXPECT_EQ(rate.high_value, "22 B/cycle");
    EXPECT_EQ(effect_of(effects, "timing.compute.matmul_phase").at_high, 0);
}

TEST(Sensitivity, IsSortedByTheLargerOfBothEffects) {
    const auto effects = sensitivity(test::run_of_reads(test::kCamping));

    EXPECT_GT(effects.size(), 50U);
    EXPECT_TRUE(std::ranges::is_sorted(effects, std::ranges::greater{}, largest_of));
    EXPECT_GT(largest_of(effects.front()), 0);
}

}  // namespace
}  // namespace tessera::advise
