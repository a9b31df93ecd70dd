// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/pack.hpp"

#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::make_tile;
using tile::TileValues;

// Fills DST tiles 0 … 3 with 10, 11, 12, 13 and hands the section to the packer.
void fill_section() {
    tile_regs_acquire();
    for (std::uint32_t i = 0; i < 4; ++i) {
        fill_tile(i, 10.0F + static_cast<float>(i));
    }
    tile_regs_commit();
    tile_regs_wait();
}

TEST(PackTile, InOrderGoesBehindTheLastPackedTile) {
    ComputeCore core;
    core.add_buffer(16);
    cb_reserve_back(16, 4);
    fill_section();

    pack_tile(2, 16, 3);
    pack_tile(0, 16, 3);

    EXPECT_EQ(core.tile_at(16, 0)[0], 12.0F);
    EXPECT_EQ(core.tile_at(16, 1)[0], 10.0F);
    EXPECT_EQ(core.thread().activity.tiles_packed, 2U);
}

TEST(PackTile, PointerIsResetByPushAndNotByReserve) {
    ComputeCore core;
    core.add_buffer(16);
    cb_reserve_back(16, 2);
    fill_section();
    pack_tile(0, 16);

    cb_reserve_back(16, 4);
    pack_tile(1, 16);
    cb_push_back(16, 1);
    pack_tile(2, 16);

    EXPECT_EQ(core.tile_at(16, 0)[0], 10.0F);
    EXPECT_EQ(core.tile_at(16, 1)[0], 12.0F) << "the push moved back to the first page";
}

TEST(PackTile, OutOfOrderGoesToThePageAndLeavesThePointer) {
    ComputeCore core;
    core.add_buffer(16);
    cb_reserve_back(16, 4);
    fill_section();

    pack_tile<true>(3, 16, 2);
    pack_tile(1, 16);

    EXPECT_EQ(core.tile_at(16, 2)[0], 13.0F);
    EXPECT_EQ(core.tile_at(16, 0)[0], 11.0F);
}

// tt-metal pack.h: rows of 16 values, from the first row of DST on; face 1 begins with row 16.
TEST(PackRows, WritesTheFirstRowsOfDstOneAfterTheOther) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Float32);
    core.supply(
        0,
        {make_tile([](auto row, auto column) { return static_cast<float>(32 * row + column); })});
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile_init(0);
    copy_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();

    pack_rows_init(18);
    pack_rows(0, 16);

    const auto* values = reinterpret_cast<const float*>(core.page(16, 0));
    EXPECT_EQ(values[15], 15.0F);
    EXPECT_EQ(values[16], 32.0F);
    EXPECT_EQ(values[16 * 16], 16.0F) << "row 16 of DST is the first of face 1";
    EXPECT_EQ(values[17 * 16 + 15], 32 + 31.0F);
    EXPECT_EQ(values[18 * 16], 0.0F) << "18 rows were packed";
}

TEST(PackRows, IsRefusedWithoutItsInitAndBeyondATile) {
    ComputeCore core;
    core.add_buffer(16);
    cb_reserve_back(16, 1);
    fill_section();
    EXPECT_EQ(testing::fault_of([] { pack_rows(0, 16); }),
              "UndefinedBehavior: pack_rows without pack_rows_init");
    EXPECT_EQ(testing::fault_of([] { pack_rows_init(65); }),
              "OutOfBounds: pack_rows_init(65): allowed: 1 to 64");
}

TEST(PackTile, WritesAWholeTileThoughThePageIsSmaller) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Float16_b, 4, 1024);
    cb_reserve_back(16, 1);
    fill_section();

    pack_tile(0, 16);

    EXPECT_EQ(core.tile_at(16, 0)[1023], 10.0F);
    EXPECT_EQ(core.thread().cb[16].fifo_wr_tile_ptr, 1024U);
    EXPECT_EQ(get_tile_size(16), 2048) << "of the format, not the page";
}

TEST(PackTile, RoundsToNearestEven) {
    ComputeCore core;
    core.add_buffer(16);

    const TileValues down = core.run_to(16, [] { fill_tile(0, 1.00390625F); });  // 1 + 2^-8: tie
    const TileValues up = core.run_to(16, [] { fill_tile(0, 1.01171875F); });    // 1 + 3·2^-8: tie
    const TileValues nearest = core.run_to(16, [] { fill_tile(0, 1.00390637F); });  // above the tie

    EXPECT_EQ(down[0], 1.0F);
    EXPECT_EQ(up[0], 1.015625F);
    EXPECT_EQ(nearest[0], 1.0078125F);
}

TEST(PackTile, AddsToL1WhileAccumulationIsOn) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Float32);
    cb_reserve_back(16, 1);
    fill_section();
    pack_tile<true>(0, 16, 0);

    pack_reconfig_l1_acc(1);
    pack_tile<true>(1, 16, 0);
    pack_reconfig_l1_acc(0);

    EXPECT_EQ(core.tile_at(16)[7], 21.0F);
}

TEST(PackTile, RectifiesAsConfigured) {
    ComputeCore core;
    core.supply(0, {make_tile([](auto row, auto) { return static_cast<double>(row) - 16.0; })});
    core.add_buffer(16);
    copy_tile_init(0);
    const auto copy = [] { copy_tile(0, 0, 0); };

    llk_pack_relu_config(ReluType::ZERO_RELU);
    const TileValues zero = core.run_to(16, copy);
    llk_pack_relu_config(ReluType::MAX_THRESHOLD_RELU | 0x40800000U);  // 4.0
    const TileValues limited = core.run_to(16, copy);
    llk_pack_relu_config(ReluType::NO_RELU);
    const TileValues plain = core.run_to(16, copy);

    EXPECT_EQ(at(zero, 0, 0), 0.0F);
    EXPECT_EQ(at(zero, 31, 0), 15.0F);
    EXPECT_EQ(at(limited, 31, 0), 4.0F);
    EXPECT_EQ(at(plain, 0, 0), -16.0F);
}

TEST(PackTileBlock, PacksAdjacentTilesInOrder) {
    ComputeCore core;
    core.add_buffer(16);
    cb_reserve_back(16, 3);
    fill_section();

    pack_tile_block(1, 16, 3);

    EXPECT_EQ(core.tile_at(16, 0)[0], 11.0F);
    EXPECT_EQ(core.tile_at(16, 2)[0], 13.0F);
}

}  // namespace
}  // namespace tessera
