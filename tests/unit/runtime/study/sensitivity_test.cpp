// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sensitivity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/small_run.hpp"

namespace tessera::advise {
namespace {

using testing::HasSubstr;

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

TEST(Sensitivity, ShowsTheTenLargestEffectsThatAreAnyAtAll) {
    std::vector<ConstantEffect> effects;
    for (int i = 0; i < 12; ++i) {
        effects.push_back({.key = "timing.k", .at_high = 0.12 - 0.01 * i});
    }

    EXPECT_EQ(largest_effects(effects).size(), 10U);
    effects.resize(3);
    effects.push_back({.key = "timing.none", .at_low = 0.00004});
    EXPECT_EQ(largest_effects(effects).size(), 3U);
}

// The largest effect has 150 pixels and begins at x = 400; the bar to the left has half of that.
TEST(Sensitivity, DrawsEffectsAsBarsOnOneScale) {
    const std::vector<ConstantEffect> effects{{.key = "timing.noc.hop",
                                               .low_value = "8 cycles",
                                               .high_value = "11 cycles",
                                               .at_low = -0.02,
                                               .at_high = 0.04}};

    const std::string svg = effects_svg(effects, "a <run>");

    EXPECT_THAT(svg, HasSubstr(">a &lt;run>: change of the makespan"));
    EXPECT_THAT(svg, HasSubstr(">timing.noc.hop</text>"));
    EXPECT_THAT(svg, HasSubstr("class=\"shorter\" x=\"325.0\" y=\"48.0\" width=\"75.0\""));
    EXPECT_THAT(svg, HasSubstr("class=\"longer\" x=\"400.0\" y=\"55.0\" width=\"150.0\""));
    EXPECT_THAT(svg, HasSubstr(">-2.00 % at 8 cycles, +4.00 % at 11 cycles</text>"));
}

}  // namespace
}  // namespace tessera::advise
