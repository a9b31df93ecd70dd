// SPDX-License-Identifier: Apache-2.0
// Calls that move elements to other places: transpose, tilize, untilize and pack_untilize.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using tile::at;
using tile::random_bf16_tile;
using tile::TileValues;

// Returns the value of a row-major element, exact in bf16.
float element_at(std::uint32_t row, std::uint32_t column) {
    return static_cast<float>(row * 4 + column % 128) + (column >= 64 ? 0.5F : 0.0F);
}

void put_bf16(std::byte* out, float value) {
    const std::uint16_t bits = tile::bf16_from_float(value);
    std::memcpy(out, &bits, 2);
}
float bf16_at(const std::byte* in, std::size_t index) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, in + 2 * index, 2);
    return tile::bf16_to_float(bits);
}

// Pushes 32 rows of three bf16 tiles to buffer 0 and waits for them.
void supply_rows(ComputeCore& core) {
    core.add_buffer(0, DataFormat::Float16_b, 3);
    for (std::uint32_t row = 0; row < 32; ++row) {
        for (std::uint32_t column = 0; column < 96; ++column) {
            put_bf16(core.page(0, 0) + 2 * (row * 96 + column),
                     tile::round_to_bf16(element_at(row, column)));
        }
    }
    core.core().circular_buffers[0].pages_received = 3;
    cb_wait_front(0, 3);
}

TEST(Transpose, SwapsRowsAndColumnsFromABufferAndInDst) {
    ComputeCore core;
    const TileValues in = random_bf16_tile(1);
    core.supply(0, {in});
    core.add_buffer(16);
    transpose_wh_init(0, 16);

    const TileValues once = core.run_to(16, [] { transpose_wh_tile(0, 0, 0); });
    transpose_wh_dest_init_short();
    const TileValues twice = core.run_to(16, [] {
        transpose_wh_tile(0, 0, 0);
        transpose_wh_dest(0);
    });

    transpose_dest_init<true, true>(0);
    const TileValues by_newer_name = core.run_to(16, [] {
        transpose_wh_tile(0, 0, 0);
        transpose_dest<true, true>(0);
    });

    EXPECT_EQ(at(once, 3, 20), at(in, 20, 3));
    EXPECT_EQ(twice, in);
    EXPECT_EQ(by_newer_name, in);
}

TEST(Tilize, PacksEachTileOfARowOfTiles) {
    ComputeCore core;
    supply_rows(core);
    core.add_buffer(16);
    cb_reserve_back(16, 3);
    tilize_init(0, 3, 16);

    tilize_block(0, 3, 16);

    for (std::uint32_t t = 0; t < 3; ++t) {
        const TileValues tile = core.tile_at(16, t);
        EXPECT_EQ(at(tile, 0, 0), tile::round_to_bf16(element_at(0, t * 32)));
        EXPECT_EQ(at(tile, 17, 30), tile::round_to_bf16(element_at(17, t * 32 + 30)));
        EXPECT_EQ(at(tile, 31, 15), tile::round_to_bf16(element_at(31, t * 32 + 15)));
    }
    EXPECT_EQ(core.thread().activity.tiles_packed, 3U);
}

TEST(Tilize, TakesPartOfARowToAGivenPage) {
    ComputeCore core;
    supply_rows(core);
    core.add_buffer(16, DataFormat::Float32);
    cb_reserve_back(16, 3);
    tilize_init(0, 3, 16);

    tilize_block(0, 1, 16, 2, 1);

    EXPECT_EQ(at(core.tile_at(16, 1), 8, 5), tile::round_to_bf16(element_at(8, 64 + 5)));
}

TEST(Untilize, IsTheInverseOfTilize) {
    ComputeCore core;
    supply_rows(core);
    core.add_buffer(1);
    core.add_buffer(2);
    cb_reserve_back(1, 3);
    cb_reserve_back(2, 3);
    tilize_init(0, 3, 1);
    tilize_block(0, 3, 1);
    tilize_uninit(0);
    cb_push_back(1, 3);
    cb_wait_front(1, 3);

    untilize_init(1, 2);
    untilize_block<1>(1, 3, 2);
    untilize_uninit(1);

    EXPECT_EQ(std::memcmp(core.page(0, 0), core.page(2, 0), 3 * 2048), 0);
    EXPECT_EQ(core.thread().cb[2].fifo_wr_tile_ptr, 3U * 2048U);
}

TEST(Untilize, TakesARowOfTilesByTheFastCalls) {
    ComputeCore core;
    const TileValues left = random_bf16_tile(1);
    const TileValues right = random_bf16_tile(2);
    core.supply(0, {left, right});
    core.add_buffer(16, DataFormat::Float16_b, 2);
    for (const bool remaps : {true, false}) {
        cb_reserve_back(16, 2);
        if (remaps) {
            fast_untilize_init<2>(0, 16);
        } else {
            fast_untilize_init_skip_remap<2>(0, 16);
        }
        fast_untilize_block<2>(0, 16);
        fast_untilize_uninit<2>(16);

        EXPECT_EQ(bf16_at(core.page(16, 0), 5 * 64 + 3), at(left, 5, 3));
        EXPECT_EQ(bf16_at(core.page(16, 0), 31 * 64 + 32 + 17), at(right, 31, 17));
        std::memset(core.page(16, 0), 0, 4096);
        cb_push_back(16, 2);
        core.core().circular_buffers[16].pages_acked =
            core.core().circular_buffers[16].pages_received;
    }
}

TEST(Untilize, ConvertsOnTheWay) {
    ComputeCore core;
    const TileValues in = random_bf16_tile(1);
    core.supply(0, {in});
    core.add_buffer(16, DataFormat::Float32);
    cb_reserve_back(16, 1);
    untilize_init(0, 16);

    untilize_block(0, 1, 16);

    float value = 0;
    std::memcpy(&value, core.page(16, 0) + 4 * (20 * 32 + 9), 4);
    EXPECT_EQ(value, at(in, 20, 9));
}

TEST(PackUntilize, WritesABlockOfColumnsOfLongerRows) {
    ComputeCore core;
    const TileValues left = random_bf16_tile(1);
    const TileValues right = random_bf16_tile(2);
    core.supply(0, {left, right});
    core.add_buffer(16, DataFormat::Float16_b, 4);
    cb_reserve_back(16, 4);
    pack_untilize_init<2, 4>(0, 16);

    pack_untilize_block<2, 4>(0, 1, 16, 1);
    pack_untilize_uninit(16);

    EXPECT_EQ(bf16_at(core.page(16, 0), 5 * 128 + 64 + 3), at(left, 5, 3));
    EXPECT_EQ(bf16_at(core.page(16, 0), 31 * 128 + 96 + 31), at(right, 31, 31));
}

TEST(PackUntilize, WritesRowsOfWhatMathLeftInDst) {
    ComputeCore core;
    core.add_buffer(16, DataFormat::Float16_b, 2);
    cb_reserve_back(16, 2);
    pack_untilize_dest_init<2>(16);

    tile_regs_acquire();
    fill_tile(0, 1.0F);
    fill_tile(1, 2.0F);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dest<2>(16);
    tile_regs_release();

    EXPECT_EQ(bf16_at(core.page(16, 0), 31), 1.0F);
    EXPECT_EQ(bf16_at(core.page(16, 0), 32), 2.0F);
    EXPECT_EQ(bf16_at(core.page(16, 0), 64), 1.0F);
}

}  // namespace
}  // namespace tessera
