// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::make_tile;
using tile::random_bf16_tile;
using tile::TileValues;

TileValues constant_tile(double value) {
    return make_tile([&](auto, auto) { return value; });
}

class Reduce : public ::testing::Test {
protected:
    explicit Reduce(double scaler = 1.0) {
        core_.supply(0, {in_});
        core_.supply(1, {constant_tile(scaler)});
        core_.add_buffer(16, DataFormat::Float32);
    }

    template <PoolType pool, ReduceDim dim>
    TileValues reduced() {
        reduce_init<pool, dim>(0, 1, 16);
        const TileValues result = core_.run_to(16, [] { reduce_tile<pool, dim>(0, 1, 0, 0, 0); });
        reduce_uninit();
        return result;
    }
    double row_sum(std::uint32_t row) const {
        double sum = 0;
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            sum += double{at(in_, row, column)};
        }
        return sum;
    }

    const TileValues in_ = random_bf16_tile(5);
    ComputeCore core_;
};

constexpr double kTolerance = 1024 * 256 * 0x1p-24;  // 1024 roundings of sums below 256

TEST_F(Reduce, SumAlongRowsLandsInColumnZeroAndTheRestIsZero) {
    const TileValues result = reduced<PoolType::SUM, ReduceDim::REDUCE_ROW>();

    for (const std::uint32_t row : {0U, 15U, 16U, 31U}) {
        EXPECT_NEAR(at(result, row, 0), row_sum(row), kTolerance);
        EXPECT_EQ(at(result, row, 1), 0.0F);
    }
}

TEST_F(Reduce, SumAlongColumnsLandsInRowZero) {
    const TileValues result = reduced<PoolType::SUM, ReduceDim::REDUCE_COL>();

    for (const std::uint32_t column : {0U, 15U, 16U, 31U}) {
        double sum = 0;
        for (std::uint32_t row = 0; row < kTileRows; ++row) {
            sum += double{at(in_, row, column)};
        }
        EXPECT_NEAR(at(result, 0, column), sum, kTolerance);
        EXPECT_EQ(at(result, 1, column), 0.0F);
    }
}

TEST_F(Reduce, SumsAddUpOverTiles) {
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);

    const TileValues result = core_.run_to(16, [] {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);
    });

    EXPECT_NEAR(at(result, 9, 0), 2 * row_sum(9), kTolerance);
}

class ReduceScaled : public Reduce {
protected:
    ReduceScaled() : Reduce(0.25) {}
};

TEST_F(ReduceScaled, ScalarAppliesTheScalerTwice) {
    const TileValues result = reduced<PoolType::AVG, ReduceDim::REDUCE_SCALAR>();

    double sum = 0;
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        sum += row_sum(row);
    }
    EXPECT_NEAR(at(result, 0, 0), sum * 0.25 * 0.25, kTolerance);
}

TEST(ReduceMax, ClearedDstReadsAsMinusInfinity) {
    ComputeCore core;
    core.supply(0, {make_tile([](auto row, auto column) { return -1.0 - row - column; })});
    core.supply(1, {constant_tile(1.0)});
    core.add_buffer(16, DataFormat::Float32);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 16);

    const TileValues result =
        core.run_to(16, [] { reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); });

    EXPECT_EQ(at(result, 0, 0), -1.0F) << "zero in DST would have won";
    EXPECT_EQ(at(result, 31, 0), -32.0F);
}

TEST(ReduceMax, ScalesByTheExponentOfTheScalerOnly) {
    ComputeCore core;
    core.supply(0, {make_tile([](auto, auto column) { return static_cast<double>(column); })});
    core.supply(1, {constant_tile(3.0)});
    core.add_buffer(16, DataFormat::Float32);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 16);

    const TileValues result =
        core.run_to(16, [] { reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); });

    EXPECT_EQ(at(result, 4, 0), 62.0F) << "31 · 2^1, not 31 · 3";
}

TEST_F(Reduce, ForgottenUninitLosesValuesOfLaterPacks) {
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(0, 1, 16);
    const auto fill = [] { fill_tile(0, 7.0F); };

    const TileValues masked = core_.run_to(16, fill);
    reduce_uninit();
    const TileValues whole = core_.run_to(16, fill);

    EXPECT_EQ(at(masked, 0, 31), 7.0F);
    EXPECT_EQ(at(masked, 1, 0), 0.0F);
    EXPECT_EQ(at(whole, 1, 0), 7.0F);
}

TEST_F(Reduce, OlderNamesArmTheSameOperation) {
    reduce_init<true, PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);
    reduce_revert_delta<ReduceDim::REDUCE_ROW>();
    reduce_init_delta<false, PoolType::SUM, ReduceDim::REDUCE_ROW>();

    const TileValues result =
        core_.run_to(16, [] { reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); });

    EXPECT_NEAR(at(result, 30, 0), row_sum(30), kTolerance);
}

}  // namespace
}  // namespace tessera
