// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/reduce.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TileValues filled(float value) {
    return make_tile([&](auto, auto) { return value; });
}

/// Returns small integers: every sum is exact, so the order of summation does not matter.
TileValues small_integers() {
    return make_tile(
        [](auto row, auto column) { return static_cast<int>(row * 7 + column * 3) % 11 - 4; });
}

TEST(Reduce, SumAlongRowsGoesToColumnZero) {
    const TileValues in = small_integers();
    TileValues dst = filled(99);

    reduce_tile({PoolType::Sum, ReduceDim::Row, DstUpdate::Overwrite}, in.data(), filled(1).data(),
                dst.data());

    EXPECT_EQ(dst, make_tile([&](auto row, auto column) {
                  float sum = 0;
                  for (std::uint32_t c = 0; c < 32 && column == 0; ++c) {
                      sum += at(in, row, c);
                  }
                  return sum;
              }));
}

TEST(Reduce, SumAlongColumnsGoesToRowZero) {
    const TileValues in = small_integers();
    TileValues dst = filled(99);

    reduce_tile({PoolType::Sum, ReduceDim::Column, DstUpdate::Overwrite}, in.data(),
                filled(1).data(), dst.data());

    EXPECT_EQ(dst, make_tile([&](auto row, auto column) {
                  float sum = 0;
                  for (std::uint32_t r = 0; r < 32 && row == 0; ++r) {
                      sum += at(in, r, column);
                  }
                  return sum;
              }));
}

TEST(Reduce, AccumulatesOntoTheResultsAndLeavesTheRest) {
    const TileValues in = filled(1);
    TileValues dst = filled(100);

    reduce_tile({PoolType::Sum, ReduceDim::Row, DstUpdate::Accumulate}, in.data(), filled(2).data(),
                dst.data());

    EXPECT_EQ(at(dst, 31, 0), 164.0F);
    EXPECT_EQ(at(dst, 31, 1), 100.0F);
}

TEST(Reduce, ScalarAppliesTheScalerTwice) {
    const TileValues in = filled(3);
    const TileValues scaler = filled(1.0F / 32);  // 1/√1024
    TileValues dst = filled(0);

    reduce_tile({PoolType::Avg, ReduceDim::Scalar, DstUpdate::Overwrite}, in.data(), scaler.data(),
                dst.data());

    EXPECT_EQ(at(dst, 0, 0), 3.0F);
    EXPECT_EQ(at(dst, 0, 1), 0.0F);
}

TEST(Reduce, UsesTheFirstRowOfEachFaceOfTheScaler) {
    const TileValues in = filled(1);
    // Face f, entry i has weight 100·f + i. Everything below the first rows must be ignored.
    const TileValues scaler = make_tile([](auto row, auto column) {
        const auto face = (row / 16) * 2 + column / 16;
        return row % 16 == 0 ? 100 * static_cast<int>(face) + static_cast<int>(column % 16) : -7777;
    });
    TileValues rows = filled(0);
    TileValues columns = filled(0);

    reduce_tile({PoolType::Sum, ReduceDim::Row, DstUpdate::Overwrite}, in.data(), scaler.data(),
                rows.data());
    reduce_tile({PoolType::Sum, ReduceDim::Column, DstUpdate::Overwrite}, in.data(), scaler.data(),
                columns.data());

    // Σi = 120 for each of the two faces that a run crosses.
    EXPECT_EQ(at(rows, 0, 0), 240 + 16 * (0 + 100));
    EXPECT_EQ(at(rows, 31, 0), 240 + 16 * (200 + 300));
    EXPECT_EQ(at(columns, 0, 0), 240 + 16 * (0 + 200));
    EXPECT_EQ(at(columns, 0, 31), 240 + 16 * (100 + 300));
}

TEST(Reduce, MaxUsesTheExponentOfTheScalerOnly) {
    const TileValues in = small_integers();
    TileValues dst = filled(0);

    reduce_tile({PoolType::Max, ReduceDim::Scalar, DstUpdate::Overwrite}, in.data(),
                filled(1.99F).data(), dst.data());

    EXPECT_EQ(at(dst, 0, 0), 6.0F);
}

TEST(Reduce, MaxReadsClearedDstAsMinusInfinity) {
    const TileValues in = filled(-5);
    TileValues cleared = filled(0);
    TileValues kept = filled(-kInfinity);
    at(kept, 0, 3) = -1;

    reduce_tile({PoolType::Max, ReduceDim::Column, DstUpdate::Overwrite}, in.data(),
                filled(1).data(), cleared.data());
    reduce_tile({PoolType::Max, ReduceDim::Column, DstUpdate::Accumulate}, in.data(),
                filled(1).data(), kept.data());

    EXPECT_EQ(at(cleared, 0, 3), -5.0F);
    EXPECT_EQ(at(cleared, 1, 3), 0.0F);
    EXPECT_EQ(at(kept, 0, 3), -1.0F);
    EXPECT_EQ(at(kept, 0, 4), -5.0F);
}

TEST(Reduce, LoFiKeepsFiveBitsOfTheData) {
    const TileValues in = filled(0x1.FEp+0F);  // 8 significant bits, all ones
    TileValues dst = filled(0);

    reduce_tile({PoolType::Sum, ReduceDim::Row, DstUpdate::Overwrite, MathFidelity::LoFi},
                in.data(), filled(1).data(), dst.data());

    EXPECT_EQ(at(dst, 0, 0), 32 * 0x1.Fp+0F);
}

TEST(Reduce, GivesTheSameBytesOnEverySimdTarget) {
    const TileValues in = random_bf16_tile(1);
    const TileValues scaler = random_bf16_tile(2);
    for (const ReduceDim dim : {ReduceDim::Row, ReduceDim::Column, ReduceDim::Scalar}) {
        TileValues best;
        const ReduceMode mode{PoolType::Sum, dim, DstUpdate::Overwrite};
        reduce_tile(mode, in.data(), scaler.data(), best.data());
        on_each_simd_target([&](const char* target) {
            TileValues dst;
            reduce_tile(mode, in.data(), scaler.data(), dst.data());
            EXPECT_TRUE(same_bytes(dst, best)) << target;
        });
    }
}

TEST(Reduce, KeepReducedZeroesAllButTheResults) {
    TileValues tile = filled(1);

    keep_reduced(ReduceDim::Column, tile.data());

    EXPECT_EQ(tile, make_tile([](auto row, auto) { return row == 0 ? 1 : 0; }));
}

}  // namespace
}  // namespace tessera::tile
