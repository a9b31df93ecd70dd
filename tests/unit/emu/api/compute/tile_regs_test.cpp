// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/tile_regs.hpp"

#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::fault_of;
using tile::make_tile;
using tile::TileValues;

struct Capacity {
    const char* name;
    ComputeConfig config;
    std::uint32_t tiles;
    const char* message;
};

class DstCapacity : public ::testing::TestWithParam<Capacity> {};

TEST_P(DstCapacity, EndsAtTheLastTileOfASection) {
    ComputeCore core(GetParam().config);
    tile_regs_acquire();

    EXPECT_EQ(fault_of([] { fill_tile(GetParam().tiles - 1, 1.0F); }), "no fault");
    EXPECT_EQ(fault_of([] { fill_tile(GetParam().tiles, 1.0F); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, DstCapacity,
    ::testing::Values(Capacity{"Half16",
                               {},
                               8,
                               "OutOfBounds: fill_tile: DST tile 8 of 8 (16-bit DST, half sync)"},
                      Capacity{"Half32",
                               {.fp32_dest_acc_en = true},
                               4,
                               "OutOfBounds: fill_tile: DST tile 4 of 4 (32-bit DST, half sync)"},
                      Capacity{"Full16",
                               {.dst_full_sync_en = true},
                               16,
                               "OutOfBounds: fill_tile: DST tile 16 of 16 (16-bit DST, full sync)"},
                      Capacity{"Full32",
                               {.fp32_dest_acc_en = true, .dst_full_sync_en = true},
                               8,
                               "OutOfBounds: fill_tile: DST tile 8 of 8 (32-bit DST, full sync)"}),
    [](const auto& suite) { return suite.param.name; });

TEST(TileRegs, WaitAndPackMayComeBeforeCommit) {
    ComputeCore core;
    core.add_buffer(16);

    tile_regs_acquire();
    tile_regs_wait();
    fill_tile(0, 3.0F);
    cb_reserve_back(16, 1);
    pack_tile(0, 16);
    cb_push_back(16, 1);
    tile_regs_commit();
    tile_regs_release();

    EXPECT_EQ(core.tile_at(16)[0], 3.0F);
}

TEST(TileRegs, MathMayFillOneHalfBeforeTheOtherIsPacked) {
    ComputeCore core;
    core.add_buffer(16);
    cb_reserve_back(16, 2);

    for (const float value : {1.0F, 2.0F}) {
        tile_regs_acquire();
        fill_tile(0, value);
        tile_regs_commit();
    }
    for (int i = 0; i < 2; ++i) {
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
    }

    EXPECT_EQ(core.tile_at(16, 0)[0], 1.0F);
    EXPECT_EQ(core.tile_at(16, 1)[0], 2.0F);
}

TEST(TileRegs, ReleaseClearsSoThatAccumulationStartsAtZero) {
    ComputeCore core;
    const TileValues ones = make_tile([](auto, auto) { return 1.0; });
    core.supply(0, {ones});
    core.supply(1, {ones});
    core.add_buffer(16);
    mm_init(0, 1, 16);

    // Three sections, so that the first half is used twice.
    for (int i = 0; i < 3; ++i) {
        const TileValues product = core.run_to(16, [] { matmul_tiles(0, 1, 0, 0, 0); });

        EXPECT_EQ(product[0], 32.0F) << "section " << i;
    }
}

TEST(TileRegs, OlderPairIsAcquireWaitAndCommitRelease) {
    ComputeCore core;
    core.add_buffer(16);
    cb_reserve_back(16, 1);

    acquire_dst(tt::DstMode::Half);
    fill_tile(0, 5.0F);
    pack_tile(0, 16);
    release_dst(tt::DstMode::Half);

    EXPECT_EQ(core.tile_at(16)[1023], 5.0F);
}

}  // namespace
}  // namespace tessera
