// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/drawn_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "runtime/config/load.hpp"

namespace tessera::config {
namespace {

using testing::Each;

/// A hop of 9 cycles in [8, 13], a rate of 20 in [16, 20], 64 reads in [32, 255].
TimingBounds bounds_of_three_ranges() {
    TimingBounds bounds;
    bounds.expected.noc.hop = Cycles{9};
    bounds.expected.noc.link_rate = BytesPerCycle{20};
    bounds.expected.noc.outstanding_reads = 64;
    bounds.expected.dram.read_latency = Cycles{120};
    bounds.expected.dram.burst = Bytes{64};
    bounds.expected.link.hop_latency = Seconds{650e-9};
    bounds.low = bounds.expected;
    bounds.high = bounds.expected;
    bounds.low.noc.hop = Cycles{8};
    bounds.high.noc.hop = Cycles{13};
    bounds.high.noc.link_rate = BytesPerCycle{16};
    bounds.low.noc.outstanding_reads = 255;
    bounds.high.noc.outstanding_reads = 32;
    bounds.low.dram.burst = Bytes{32};
    bounds.low.link.hop_latency = Seconds{530e-9};
    return bounds;
}

template <class Get>
std::vector<double> sorted(const std::vector<TimingSpec>& draws, Get get) {
    std::vector<double> values;
    for (const TimingSpec& draw : draws) {
        values.push_back(get(draw));
    }
    std::ranges::sort(values);
    return values;
}

TEST(DrawnTiming, LeavesConstantsWithoutARangeAsTheyAre) {
    const auto draws = draw_timing(bounds_of_three_ranges(), 8);

    EXPECT_THAT(sorted(draws, [](const TimingSpec& t) { return t.dram.read_latency.value; }),
                Each(120));
}

// Four draws take one value from each quarter of the distribution: [8, 8.5), [8.5, 9), [9, 11) and
// [11, 13), since 9 is the median and each side is uniform.
TEST(DrawnTiming, TakesOneValueFromEachPartOfTheDistribution) {
    const auto hops = sorted(draw_timing(bounds_of_three_ranges(), 4),
                             [](const TimingSpec& t) { return t.noc.hop.value; });

    ASSERT_EQ(hops.size(), 4U);
    EXPECT_TRUE(hops[0] >= 8 && hops[0] < 8.5) << hops[0];
    EXPECT_TRUE(hops[1] >= 8.5 && hops[1] < 9) << hops[1];
    EXPECT_TRUE(hops[2] >= 9 && hops[2] < 11) << hops[2];
    EXPECT_TRUE(hops[3] >= 11 && hops[3] <= 13) << hops[3];
}

TEST(DrawnTiming, KeepsHalfOfTheDrawsAtAValueThatIsAnEndOfItsRange) {
    const auto rates = sorted(draw_timing(bounds_of_three_ranges(), 8),
                              [](const TimingSpec& t) { return t.noc.link_rate.value; });

    EXPECT_GE(rates[0], 16);
    EXPECT_LT(rates[3], 20);
    EXPECT_EQ(rates[4], 20);
    EXPECT_EQ(rates[7], 20);
}

TEST(DrawnTiming, RoundsWholeNumbersAndKeepsSecondsExactEnough) {
    for (const TimingSpec& draw : draw_timing(bounds_of_three_ranges(), 16)) {
        EXPECT_GE(draw.noc.outstanding_reads, 32U);
        EXPECT_LE(draw.noc.outstanding_reads, 255U);
        EXPECT_GE(draw.dram.burst.value, 32U);
        EXPECT_LE(draw.dram.burst.value, 64U);
        EXPECT_GE(draw.link.hop_latency.value, 529.999e-9);
        EXPECT_LE(draw.link.hop_latency.value, 650.001e-9);
    }
}

TEST(DrawnTiming, IsTheSameAtEachCallAndOfEachConstantAlone) {
    TimingBounds other = bounds_of_three_ranges();
    other.high.dram.read_latency = Cycles{200};

    const auto one = draw_timing(bounds_of_three_ranges(), 8);
    const auto two = draw_timing(other, 8);

    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].noc.hop, two[i].noc.hop) << i;
    }
}

TEST(DrawnTiming, DrawsConstantsApart) {
    const auto draws = draw_timing(bounds_of_three_ranges(), 64);

    std::size_t num_alike = 0;  // both above their medians, or both below
    for (const TimingSpec& draw : draws) {
        num_alike += (draw.noc.hop > Cycles{9}) == (draw.noc.outstanding_reads < 64) ? 1 : 0;
    }
    // Independent values give 32; dependent ones 64 or 0.
    EXPECT_GT(num_alike, 16U);
    EXPECT_LT(num_alike, 48U);
}

TEST(DrawnTiming, StaysWithinTheRangesOfAShippedDevice) {
    const auto arch =
        load_arch(std::filesystem::path(TESSERA_SOURCE_DIR) / "configs/arch/blackhole_p150.yaml");

    const auto draws = draw_timing(arch.timing, 8);

    ASSERT_EQ(draws.size(), 8U);
    for (const TimingSpec& draw : draws) {
        EXPECT_GE(draw.risc.cb_push, arch.timing.low.risc.cb_push);
        EXPECT_LE(draw.risc.cb_push, arch.timing.high.risc.cb_push);
        EXPECT_NE(draw.risc.cb_push, arch.timing.expected.risc.cb_push);
        EXPECT_LE(draw.noc.link_rate, arch.timing.low.noc.link_rate);
        EXPECT_GE(draw.noc.link_rate, arch.timing.high.noc.link_rate);
        EXPECT_EQ(draw.clock, arch.timing.expected.clock);
        EXPECT_EQ(draw.sfpu.functions.size(), arch.timing.expected.sfpu.functions.size());
    }
}

}  // namespace
}  // namespace tessera::config
