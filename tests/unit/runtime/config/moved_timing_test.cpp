// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/moved_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "runtime/config/load.hpp"

namespace tessera::config {
namespace {

TimingBounds bounds_of_one_range() {
    TimingBounds bounds;
    bounds.expected.noc.hop = Cycles{9};
    bounds.expected.sfpu.functions = {{"exp", Cycles{40}}, {"recip", Cycles{20}}};
    bounds.low = bounds.expected;
    bounds.high = bounds.expected;
    return bounds;
}

TEST(MoveOneAtATime, LeavesOutConstantsWithoutARange) {
    EXPECT_TRUE(move_one_at_a_time(bounds_of_one_range()).empty());
}

TEST(MoveOneAtATime, MovesEachConstantToBothEndsAndNoOther) {
    TimingBounds bounds = bounds_of_one_range();
    bounds.low.noc.hop = Cycles{8};
    bounds.high.noc.hop = Cycles{11.5};
    bounds.low.dram.bank_read_rate = BytesPerCycle{2};

    const auto moved = move_one_at_a_time(bounds);

    ASSERT_EQ(moved.size(), 3U);
    EXPECT_EQ(moved[0].key, "timing.noc.hop");
    EXPECT_EQ(moved[0].value, "8 cycles");
    EXPECT_EQ(moved[0].timing.noc.hop, Cycles{8});
    EXPECT_EQ(moved[0].timing.dram.bank_read_rate, BytesPerCycle{0});
    EXPECT_EQ(moved[1].timing.noc.hop, Cycles{11.5});
    EXPECT_EQ(moved[2].key, "timing.dram.bank_read_rate");
    EXPECT_EQ(moved[2].timing.noc.hop, Cycles{9});
}

TEST(MoveOneAtATime, MovesFunctionsOfTheVectorUnitByName) {
    TimingBounds bounds = bounds_of_one_range();
    bounds.high.sfpu.functions[1].second = Cycles{30};

    const auto moved = move_one_at_a_time(bounds);

    ASSERT_EQ(moved.size(), 1U);
    EXPECT_EQ(moved[0].key, "timing.sfpu.functions.recip");
    EXPECT_EQ(moved[0].timing.sfpu.functions[0].second, Cycles{40});
    EXPECT_EQ(moved[0].timing.sfpu.functions[1].second, Cycles{30});
}

TEST(WithoutBounds, MakesCostsFreeAndSuppliesUnlimitedAndLeavesTheRest) {
    TimingSpec timing;
    timing.dram.read_latency = Cycles{120};
    timing.dram.bank_read_rate = BytesPerCycle{20};
    timing.dram.write_buffer = Bytes{4096};
    timing.noc.hop = Cycles{9};
    timing.sfpu.functions = {{"exp", Cycles{40}}};

    const std::array bounds{Bound::Dram, Bound::Engines};
    const TimingSpec without = without_bounds(timing, bounds);

    EXPECT_EQ(without.dram.read_latency, Cycles{0});
    EXPECT_GT(without.dram.bank_read_rate.value, 1e9);
    EXPECT_GT(without.dram.write_buffer.value, 1U << 29U);
    EXPECT_EQ(without.sfpu.functions[0].second, Cycles{0});
    EXPECT_EQ(without.noc.hop, Cycles{9});
}

TEST(MoveOneAtATime, FindsTheRangesOfAShippedDevice) {
    const auto arch =
        load_arch(std::filesystem::path(TESSERA_SOURCE_DIR) / "configs/arch/wormhole_n150.yaml");

    std::size_t num_ranges = 0;
    for (const ResolvedValue& value : arch.resolved) {
        num_ranges += value.path.starts_with("timing.") && value.fact->range ? 1 : 0;
    }
    const auto moved = move_one_at_a_time(arch.timing);

    EXPECT_GT(num_ranges, 10U);
    EXPECT_GE(moved.size(), num_ranges);
    EXPECT_LE(moved.size(), 2 * num_ranges);
}

}  // namespace
}  // namespace tessera::config
