// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpu_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "emu/core/dst.hpp"
#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;

/// An acquired DST, whose tiles a test fills by (row, column).
class Blocks : public ::testing::Test {
protected:
    Blocks() { tile_regs_acquire(); }
    float& at(std::uint32_t tile, std::uint32_t row, std::uint32_t column) {
        return core_.thread().compute->dst.update(tile, "test", {})[tile_offset(row, column)];
    }
    template <class Value>
    void fill(std::uint32_t tile, Value value) {
        for (std::uint32_t row = 0; row < kTileRows; ++row) {
            for (std::uint32_t column = 0; column < kTileColumns; ++column) {
                at(tile, row, column) = value(row, column);
            }
        }
    }
    /// Column `column` of two tiles.
    std::vector<float> both(std::uint32_t tile, std::uint32_t column) {
        std::vector<float> values;
        for (std::uint32_t row = 0; row < 2 * kTileRows; ++row) {
            values.push_back(at(tile + row / kTileRows, row % kTileRows, column));
        }
        return values;
    }

    ComputeCore core_;
};

/// A permutation of 0 … 63 that differs by column.
float shuffled(std::uint32_t row, std::uint32_t column) {
    return static_cast<float>((row * 37 + column * 11) % 64);
}

TEST_F(Blocks, LocalSortOfAllPhasesSorts64ValuesWithTheirIndices) {
    for (std::uint32_t half = 0; half < 2; ++half) {
        fill(half, [&](auto row, auto column) { return shuffled(row + 32 * half, column); });
        fill(2 + half,
             [&](auto row, auto column) { return 1000 + shuffled(row + 32 * half, column); });
    }
    topk_tile_init();
    topk_local_sort(0, 0, 5);
    for (const std::uint32_t column : {0U, 17U, 31U}) {
        const std::vector<float> values = both(0, column);
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_EQ(values[i], static_cast<float>(63 - i));
            EXPECT_EQ(both(2, column)[i], 1000 + values[i]);
        }
    }
}

TEST_F(Blocks, MergeOfOppositeHalvesKeepsTheTop32InTheFirstTile) {
    for (std::uint32_t half = 0; half < 2; ++half) {
        fill(half, [&](auto row, auto column) { return shuffled(row + 32 * half, column); });
        fill(2 + half, [](auto, auto) { return 0.0F; });
    }
    topk_local_sort(0, 0, 4);  // 32 values falling, 32 rising
    topk_merge(0, 0, 32);
    topk_rebuild(0, false, 0, 32, 5, 1);
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        EXPECT_EQ(at(0, row, 5), static_cast<float>(63 - row));
    }
}

TEST_F(Blocks, WelfordGivesMeanAndVarianceOfEachColumn) {
    fill(0, [](auto row, auto column) { return static_cast<float>(row + column); });
    fill(1, [](auto, auto) { return 0.0F; });
    fill(2, [](auto, auto) { return 0.0F; });
    const std::array<std::uint32_t, 0> no_table{};
    welford_init();
    welford_update<0>(0, 0, no_table);
    welford_finalize_to_row<0>(1, 31, no_table);
    for (const std::uint32_t column : {0U, 31U}) {
        EXPECT_NEAR(at(1, 0, column), 15.5F + static_cast<float>(column), 1e-5);
        EXPECT_NEAR(at(2, 0, column), (32.0F * 32.0F - 1) / 12, 1e-3);  // of 32 equal steps
    }
}

TEST_F(Blocks, WelfordGoesOnAfterItsStateWasSavedAndRestored) {
    fill(0, [](auto row, auto) { return static_cast<float>(row); });
    fill(1, [](auto, auto) { return 0.0F; });
    fill(2, [](auto, auto) { return 0.0F; });
    const std::array<std::uint32_t, 0> no_table{};
    welford_init();
    welford_update_rows<0>(0, 0, 0, 16, no_table);
    welford_save_state(1, 3);
    welford_clear();
    welford_restore_state(1, 3);
    welford_update_rows<0>(0, 16, 16, 16, no_table);
    welford_finalize_to_row<0>(1, 31, no_table);
    EXPECT_NEAR(at(1, 0, 7), 15.5F, 1e-5);
}

TEST_F(Blocks, WelfordStartsAnewOrGoesOnByTheModeOfItsInit) {
    fill(0, [](auto row, auto) { return static_cast<float>(row); });
    const std::array<std::uint32_t, 0> no_table{};
    const auto mean_with = [&](void (*init)()) {
        fill(1, [](auto, auto) { return 0.0F; });
        welford_init();
        welford_update_rows<0>(0, 0, 0, 16, no_table);
        init();
        welford_update_rows<0>(0, 16, 16, 16, no_table);
        welford_finalize_to_row<0>(1, 31, no_table);
        return at(1, 0, 7);
    };
    const float of_all_rows = mean_with([] { welford_init<WelfordInitMode::PreserveStats>(); });
    const float of_half_of_them = mean_with([] { welford_init<WelfordInitMode::ClearStats>(); });
    EXPECT_NEAR(of_all_rows, 15.5F, 1e-5);
    // The mean is 0 again: rows 16 … 31 each move it by (row − mean) / (row + 1).
    double mean = 0;
    for (int row = 16; row < 32; ++row) {
        mean += (row - mean) / (row + 1);
    }
    EXPECT_NEAR(of_half_of_them, mean, 1e-4);
}

TEST_F(Blocks, CumulativeSumGoesOnInTheNextTile) {
    fill(0, [](auto, auto) { return 1.0F; });
    fill(1, [](auto, auto) { return 1.0F; });
    cumsum_tile_init();
    cumsum_tile(0, true);
    cumsum_tile(1, false);
    EXPECT_EQ(at(0, 31, 3), 32.0F);
    EXPECT_EQ(at(1, 0, 3), 33.0F);
    EXPECT_EQ(at(1, 31, 3), 64.0F);
}

TEST_F(Blocks, ReductionsInDstGoToRowOrColumnZero) {
    fill(0, [](auto row, auto column) { return static_cast<float>(row * 32 + column); });
    sfpu_reduce<PoolType::MAX, DataFormat::Float32, ReduceDim::REDUCE_ROW>(0);
    EXPECT_EQ(at(0, 2, 0), 95.0F);
    fill(1, [](auto row, auto) { return static_cast<float>(row); });
    sfpu_reduce<PoolType::AVG, DataFormat::Float32>(1);
    EXPECT_EQ(at(1, 0, 9), 15.5F);
}

TEST_F(Blocks, BroadcastInDstTakesColumnOrRowZeroOfTheOther) {
    fill(0, [](auto, auto) { return 10.0F; });
    fill(1, [](auto row, auto column) { return static_cast<float>(row + 100 * column); });
    sfpu_sub_bcast_col(0, 1);
    EXPECT_EQ(at(0, 4, 20), 6.0F);
    sfpu_add_bcast_row(0, 1);
    EXPECT_EQ(at(0, 4, 20), 2006.0F);
}

TEST_F(Blocks, RandomNumbersFollowTheSeedAndLieInTheRange) {
    const auto draw = [&](std::uint32_t seed) {
        rand_tile_init(seed);
        rand_tile(0, std::bit_cast<std::uint32_t>(2.0F), std::bit_cast<std::uint32_t>(3.0F));
        return both(0, 0);
    };
    fill(1, [](auto, auto) { return 0.0F; });
    const std::vector<float> first = draw(7);
    EXPECT_EQ(draw(7), first);
    EXPECT_NE(draw(8), first);
    double sum = 0;
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            EXPECT_GE(at(0, row, column), 2.0F);
            EXPECT_LT(at(0, row, column), 5.0F);
            sum += static_cast<double>(at(0, row, column));
        }
    }
    EXPECT_NEAR(sum / kTileElements, 3.5, 0.15);  // 5 standard deviations of the mean
}

TEST_F(Blocks, QuantisationIsUndoneByItsInverse) {
    fill(0, [](auto, auto column) { return static_cast<float>(column) - 16.0F; });
    fill(1, [](auto, auto) { return 2.0F; });
    quant_tile_init(std::bit_cast<std::uint32_t>(3.0F));
    quant_tile(0, 1, 2);
    fill(1, [](auto, auto) { return 0.5F; });
    dequant_tile_init(std::bit_cast<std::uint32_t>(3.0F));
    dequant_tile(2, 1, 3);
    EXPECT_EQ(at(3, 0, 0), -16.0F);
    EXPECT_EQ(at(3, 9, 31), 15.0F);
}

}  // namespace
}  // namespace tessera
