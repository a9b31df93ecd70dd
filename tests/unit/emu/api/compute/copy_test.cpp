// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/copy.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::make_tile;
using tile::random_bf16_tile;
using tile::TileValues;

TEST(CopyTile, ReadsTheTileBehindTheReadPointer) {
    ComputeCore core;
    const TileValues first = random_bf16_tile(1);
    const TileValues second = random_bf16_tile(2);
    core.supply(0, {first, second});
    core.add_buffer(16);
    copy_tile_to_dst_init_short(0);

    EXPECT_EQ(core.run_to(16, [] { copy_tile(0, 1, 0); }), second);
    cb_pop_front(0, 1);
    EXPECT_EQ(core.run_to(16, [] { copy_tile(0, 0, 0); }), second);
}

TEST(CopyTile, DropsTheBitsOfFloat32ThatSrcADoesNotHold) {
    ComputeCore core;
    const float value = 1.0F + 0x1p-10F + 0x1p-11F;
    core.supply(0, {make_tile([&](auto, auto) { return value; })}, DataFormat::Float32);
    core.add_buffer(16, DataFormat::Float32);
    copy_tile_init(0);

    EXPECT_EQ(core.run_to(16, [] { copy_tile(0, 0, 0); })[5], 1.0F + 0x1p-10F);
}

TEST(CopyTile, KeepsAllBitsOfFloat32WhereTheProgramUnpacksToDst) {
    const float value = 1.0F + 0x1p-23F;
    ComputeCore core(
        {.fp32_dest_acc_en = true, .unpack_to_dest_mode = {UnpackToDestMode::UnpackToDestFp32}});
    core.supply(0, {make_tile([&](auto, auto) { return value; })}, DataFormat::Float32);
    core.add_buffer(16, DataFormat::Float32);
    copy_tile_init(0);

    EXPECT_EQ(core.run_to(16, [] { copy_tile(0, 0, 0); })[5], value);
}

TEST(CopyTile, RoundsForASixteenBitDst) {
    ComputeCore core(ComputeConfig{});
    core.supply(0, {make_tile([](auto, auto) { return 1.0 + 0x1p-8 + 0x1p-9; })},
                DataFormat::Float32);
    core.add_buffer(16, DataFormat::Float32);
    copy_tile_init(0);

    EXPECT_EQ(core.run_to(16, [] { copy_tile(0, 0, 0); })[0], 1.0F + 0x1p-7F);
}

TEST(CopyTile, KeepsTheBitsOfIntegers) {
    ComputeCore core;
    const TileValues pattern =
        make_tile([](auto row, auto) { return std::bit_cast<float>(0x80000001U + row); });
    core.supply(0, {pattern}, DataFormat::Int32);
    core.add_buffer(16, DataFormat::Int32);
    copy_tile_init(0);

    const TileValues copied = core.run_to(16, [] { copy_tile(0, 0, 0); });

    EXPECT_TRUE(tile::same_bytes(copied, pattern));
}

TEST(CopyTile, TransposesIfTheInitAskedForBothSteps) {
    ComputeCore core;
    core.supply(0, {make_tile([](auto row, auto column) { return row * 4.0 + column / 8; })});
    core.add_buffer(16);
    copy_tile_to_dst_init_short(0, 1, 1);

    const TileValues copied = core.run_to(16, [] { copy_tile(0, 0, 0); });

    EXPECT_EQ(at(copied, 9, 20), 20 * 4.0F + 9 / 8);
}

TEST(CopyBlock, CopiesAdjacentTiles) {
    ComputeCore core;
    const TileValues second = random_bf16_tile(4);
    core.supply(0, {random_bf16_tile(3), second});
    core.add_buffer(16);
    copy_tile_init(0);

    EXPECT_EQ(core.run_to(16,
                          [] {
                              copy_block_matmul_partials(0, 0, 1, 2);
                              copy_dest_values(2, 0);
                          }),
              second);
}

}  // namespace
}  // namespace tessera
