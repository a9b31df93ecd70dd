// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/matmul.hpp"

#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::make_tile;
using tile::random_bf16_tile;
using tile::TileValues;

double product_at(const TileValues& a, const TileValues& b, std::uint32_t row,
                  std::uint32_t column) {
    double sum = 0;
    for (std::uint32_t k = 0; k < kTileColumns; ++k) {
        sum += double{at(a, row, k)} * double{at(b, k, column)};
    }
    return sum;
}

// An fp32 chain of at most 64 products of normal values: 64 roundings of sums below 64.
constexpr double kTolerance = 64 * 64 * 0x1p-24;

TileValues constant_tile(double value) {
    return make_tile([&](auto, auto) { return value; });
}

TEST(MatmulTiles, AddsTheProductToDst) {
    ComputeCore core;
    const TileValues a = random_bf16_tile(1);
    const TileValues b = random_bf16_tile(2);
    const TileValues c = random_bf16_tile(3);
    core.supply(0, {a, b});
    core.supply(1, {b, c});
    core.add_buffer(16, DataFormat::Float32);
    mm_init(0, 1, 16);

    const TileValues sum = core.run_to(16, [] {
        matmul_tiles(0, 1, 0, 0, 0);
        matmul_tiles(0, 1, 1, 1, 0);
    });

    for (const auto& [row, column] : {std::pair{0U, 0U}, {5U, 30U}, {16U, 15U}, {31U, 31U}}) {
        EXPECT_NEAR(at(sum, row, column),
                    product_at(a, b, row, column) + product_at(b, c, row, column), kTolerance);
    }
    EXPECT_EQ(core.thread().activity.tiles_multiplied, 2U);
}

TEST(MatmulTiles, TransposesTheSecondOperandIfTheInitSaysSo) {
    ComputeCore core;
    const TileValues a = random_bf16_tile(1);
    const TileValues b = random_bf16_tile(2);
    core.supply(0, {a});
    core.supply(1, {make_tile([&](auto row, auto column) { return at(b, column, row); })});
    core.add_buffer(16, DataFormat::Float32);
    mm_init(0, 1, 16, 1);

    const TileValues product = core.run_to(16, [] { matmul_tiles(0, 1, 0, 0, 0, 1); });

    EXPECT_NEAR(at(product, 3, 20), product_at(a, b, 3, 20), kTolerance);
}

// in0 goes to SrcB, which keeps 6 mantissa bits in LoFi; in1 to SrcA, which keeps 4.
TEST(MatmulTiles, LoFiDropsMoreOfTheSecondOperand) {
    ComputeCore core({.math_fidelity = MathFidelity::LoFi, .fp32_dest_acc_en = true});
    core.supply(0, {constant_tile(1.0), constant_tile(1.0 + 0x1p-5)});
    core.supply(1, {constant_tile(1.0), constant_tile(1.0 + 0x1p-5)});
    core.add_buffer(16, DataFormat::Float32);
    mm_init(0, 1, 16);

    EXPECT_EQ(core.run_to(16, [] { matmul_tiles(0, 1, 1, 0, 0); })[0], 33.0F);
    EXPECT_EQ(core.run_to(16, [] { matmul_tiles(0, 1, 0, 1, 0); })[0], 32.0F);
}

TEST(MatmulTiles, HiFi2MakesTheSecondOperandExactAndLeavesTheFirst) {
    ComputeCore core({.math_fidelity = MathFidelity::HiFi2, .fp32_dest_acc_en = true});
    core.supply(0, {constant_tile(1.0), constant_tile(1.0 + 0x1p-7)});
    core.supply(1, {constant_tile(1.0), constant_tile(1.0 + 0x1p-7)});
    core.add_buffer(16, DataFormat::Float32);
    mm_init(0, 1, 16);

    EXPECT_EQ(core.run_to(16, [] { matmul_tiles(0, 1, 1, 0, 0); })[0], 32.0F);
    EXPECT_EQ(core.run_to(16, [] { matmul_tiles(0, 1, 0, 1, 0); })[0], 32.25F);
}

// Groups of 16 products add 16 to a bf16 sum. At 4096 the step is 32, and ties round to even.
TEST(MatmulTiles, SixteenBitDstRoundsEverySum) {
    const auto sum_of_130_tiles = [](const ComputeConfig& config) {
        ComputeCore core(config);
        core.supply(0, {constant_tile(1.0)});
        core.supply(1, {constant_tile(1.0)});
        core.add_buffer(16, DataFormat::Float32);
        mm_init(0, 1, 16);
        return core.run_to(16, [] {
            for (int k = 0; k < 130; ++k) {
                matmul_tiles(0, 1, 0, 0, 0);
            }
        })[0];
    };

    EXPECT_EQ(sum_of_130_tiles({.fp32_dest_acc_en = false}), 4096.0F);
    EXPECT_EQ(sum_of_130_tiles({.fp32_dest_acc_en = true}), 4160.0F);
}

TEST(MatmulBlock, TakesRowsKtApartAndAdjacentColumns) {
    ComputeCore core({.fp32_dest_acc_en = true, .dst_full_sync_en = true});
    std::vector<TileValues> in0;
    std::vector<TileValues> in1;
    for (std::uint32_t i = 0; i < 6; ++i) {
        in0.push_back(random_bf16_tile(10 + i));
        in1.push_back(random_bf16_tile(20 + i));
    }
    core.supply(0, in0);
    core.supply(1, in1);
    core.add_buffer(16, DataFormat::Float32);
    mm_block_init(0, 1, 16, 0, 3, 2, 2);
    cb_reserve_back(16, 6);

    // Two rows and three columns; second of kt = 2 steps, so in1 row 1 begins at tile 3.
    tile_regs_acquire();
    matmul_block(0, 1, 1, 3, 1, 0, 3, 2, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile_block(1, 16, 6);
    tile_regs_release();

    for (std::uint32_t r = 0; r < 2; ++r) {
        for (std::uint32_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(at(core.tile_at(16, r * 3 + c), 7, 19),
                        product_at(in0[1 + r * 2], in1[3 + c], 7, 19), kTolerance)
                << r << ", " << c;
        }
    }
    EXPECT_EQ(core.thread().activity.tiles_multiplied, 6U);
}

}  // namespace
}  // namespace tessera
