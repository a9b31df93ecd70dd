// SPDX-License-Identifier: Apache-2.0
// Expected blocks are computed by hand. 100 tiles of 2048 B hold tensors and buffers. A core with m
// × k of in0 and m × n of output has 100 − m·k − m·n left. A block of h × w needs 2·k·(h + w) +
// 2·h·w of it.
#include "bench/accuracy/programs/ttnn_blocks.hpp"

#include <gtest/gtest.h>

#include "bench/accuracy/parameters.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kTile = 2048;

ArchSpec arch_with(std::uint32_t tiles) {
    ArchSpec arch;
    arch.l1.size = Bytes{std::uint64_t{tiles + 10} * kTile};
    arch.l1.reserved = Bytes{std::uint64_t{10} * kTile};
    arch.dst.tiles_16bit = 16;
    return arch;
}

TEST(TtnnBlocks, AllOfACoresOutputIsOneBlockWhereItFits) {
    // left 100 - 8 - 12 = 80; needs 2 * 2 * (4 + 3) + 2 * 12 = 52
    EXPECT_EQ(ttnn_out_block(arch_with(100), {4, 2, 3, kTile}), (Subblock{4, 3}));
}

TEST(TtnnBlocks, RoomHasToBeMoreThanIsNeeded) {
    // needs 52 beside the 20 of tensors
    EXPECT_EQ(ttnn_out_block(arch_with(73), {4, 2, 3, kTile}), (Subblock{4, 3}));
    EXPECT_EQ(ttnn_out_block(arch_with(72), {4, 2, 3, kTile}), (Subblock{2, 3}));
}

TEST(TtnnBlocks, APrimeNumberOfRowsFallsBackToOne) {
    // left 100 - 44 - 11 = 45; 11 × 1 needs 118, 1 × 1 needs 18
    EXPECT_EQ(ttnn_out_block(arch_with(100), {11, 4, 1, kTile}), (Subblock{1, 1}));
}

TEST(TtnnBlocks, RowsAreDividedWhereNotEvenOneFits) {
    // left 40 - 6 - 6 = 28; 1 × 6 needs 96, 1 × 3 needs 54, 1 × 2 needs 40, 1 × 1 needs 26
    EXPECT_EQ(ttnn_out_block(arch_with(40), {1, 6, 6, kTile}), (Subblock{1, 1}));
}

TEST(TtnnBlocks, WhatDoesNotFitAtAllSaysSo) {
    EXPECT_THROW((void)ttnn_out_block(arch_with(20), {4, 4, 1, kTile}), NotExpressible);
}

TEST(TtnnBlocks, SubblocksAreOneRowAsWideAsTheBlockOrOneTile) {
    const ArchSpec arch = arch_with(100);
    EXPECT_EQ(ttnn_sharded_subblock(arch, {4, 1}), (Subblock{1, 1}));
    EXPECT_EQ(ttnn_sharded_subblock(arch, {4, 8}), (Subblock{1, 8}));
    EXPECT_EQ(ttnn_sharded_subblock(arch, {4, 9}), (Subblock{1, 1}));
}

}  // namespace
}  // namespace tessera::score
