// SPDX-License-Identifier: Apache-2.0
// Expected times: the configured time of one act, times its number on the busiest core in TTNN's
// program. Everything else takes almost no time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/galaxy_chip.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

constexpr double kSlow = 100'000;  // dominates all other times

ArchSpec sixteen_cores() {
    ArchSpec arch = testing::make_arch(4, 4);
    arch.workers.noc_columns = {1, 2, 3, 4};
    arch.workers.noc_rows = {6, 7, 8, 9};
    return arch;
}

/// Returns how often the slow act was executed in sequence.
double times(Cycles RiscTiming::*slow, const char* workload, const char* parameters) {
    const ArchSpec arch = sixteen_cores();
    TimingSpec timing = testing::fast_timing(arch);
    timing.risc.*slow = Cycles{kSlow};
    const Row row{.arch = "wormhole", .workload = workload, .metric = "time", .unit = "cycles"};
    const Model model = testing::without_ranges(arch, timing);
    const Parameters here(fmt::format("machine=sixteen cores;{}", parameters));
    return predict_model_op(row, here, model).expected / kSlow;
}

TEST(ModelMoves, APartIsReadATileAtATime) {
    // 8 devices: 48 of 384 tiles, 3 on each core.
    EXPECT_NEAR(times(&RiscTiming::read_issue, "DeepSeek MLA mesh partition",
                      "shape=1x8x32x1536;dtype=BFLOAT16"),
                3, 0.1);
}

TEST(ModelMoves, ASliceOfColumnsIsReadATileAtATime) {
    // 1536 of 2112 columns: 48 tiles.
    EXPECT_NEAR(
        times(&RiscTiming::read_issue, "DeepSeek MLA slice q", "shape=1x1x32x2112;dtype=BFLOAT16"),
        3, 0.1);
}

TEST(ModelMoves, BatchesAndChannelsChangePlacesByWholeTiles) {
    EXPECT_NEAR(times(&RiscTiming::write_issue, "DeepSeek MLA permute q_rope",
                      "shape=32x1x16x64;dtype=BFLOAT16"),
                4, 0.1);
}

TEST(ModelMoves, RowsAndChannelsChangePlacesByRowsOfFaces) {
    // Each core has one input tile with 64 face rows. Each core pads 32 of 512
    // output tiles, in each of four faces.
    EXPECT_NEAR(times(&RiscTiming::write_issue, "DeepSeek MLA permute attention out",
                      "shape=1x1x32x512;dtype=BFLOAT16"),
                64 + 32 * 4, 1);
}

TEST(ModelMoves, ChannelsThatAreWholeTilesNeedNoFilling) {
    // Each tile has one row of elements, which is 2 face rows; 64 tiles are 4 per core.
    EXPECT_NEAR(times(&RiscTiming::write_issue, "DeepSeek MLA permute kv_rope",
                      "shape=1x32x1x64;dtype=BFLOAT16"),
                8, 0.1);
}

TEST(ModelMoves, AnotherOpIsRefused) {
    const Row row{.workload = "DeepSeek MLA permute q_nope pre", .unit = "us"};
    EXPECT_THROW((void)predict_model_moves(row, Parameters("shape=32x1x16x128;dtype=BFLOAT16"),
                                           {.arch = sixteen_cores()}),
                 NotExpressible);
}

TEST(GalaxyChip, Has70CoresAndA4UsClockIsATenthLower) {
    const ArchSpec arch = testing::n150_arch();
    TimingSpec timing = testing::fast_timing(arch);
    timing.dram.channel_rate = BytesPerCycle{24};
    const Model board = testing::without_ranges(arch, timing);
    const Model chip = on_galaxy_chip(board, Parameters("machine=Galaxy 4U"));
    EXPECT_EQ(chip.arch.workers.compute, (GridSize{7, 10}));
    EXPECT_THAT(chip.arch.workers.noc_rows, ::testing::ElementsAre(1, 2, 3, 4, 5, 7, 8, 9, 10, 11));
    EXPECT_THAT(chip.arch.workers.dispatch_columns, ::testing::ElementsAre(9));
    EXPECT_DOUBLE_EQ(chip.arch.clock.value, 0.9e9);
    // The memory rate is unchanged.
    EXPECT_DOUBLE_EQ(chip.timing.expected.dram.channel_rate.value * chip.arch.clock.value, 24e9);
    EXPECT_DOUBLE_EQ(on_galaxy_chip(board, Parameters("machine=Galaxy 6U")).arch.clock.value, 1e9);
    EXPECT_EQ(on_galaxy_chip(board, Parameters("machine=n150")).arch.workers.compute,
              (GridSize{8, 8}));
}

}  // namespace
}  // namespace tessera::score
