// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/valid_tiles/valid_tiles.hpp"

#include <gmock/gmock.h>

#include <array>

namespace tessera::ops {
namespace {

using ::testing::ElementsAre;

constexpr std::array<std::uint32_t, 4> kCounts{0, 1, 32, 33};

TEST(ValidTiles, AreTheRowsOfTilesThatHoldATokenInEveryColumn) {
    const TokenTiles tiles = token_tiles_of({4, 40, 80});  // 2 × 3 tiles per expert

    EXPECT_EQ(num_valid_tiles(tiles, kCounts), (0U + 1U + 1U + 2U) * 3U);
    EXPECT_EQ(num_zero_tiles(tiles, kCounts), (2U + 1U + 1U + 0U) * 3U);
}

/// Returns one field of every share, in the order of the split.
template <class Field>
std::vector<std::uint32_t> field_of(const SharedBlocks& work, Field BlockShare::*field) {
    std::vector<std::uint32_t> values;
    for (const BlockShare& share : work.shares) {
        values.push_back(share.*field);
    }
    return values;
}

TEST(SharedBlocks, BlockDistributionGivesRangesOfNeighbours) {
    const SharedBlocks work = share_blocks({2, 2}, {6, 5}, TileDistribution::Block);

    EXPECT_THAT(field_of(work, &BlockShare::first), ElementsAre(0, 2, 4, 5));
    EXPECT_THAT(field_of(work, &BlockShare::count), ElementsAre(2, 2, 1, 1));
    EXPECT_THAT(field_of(work, &BlockShare::stride), ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(field_of(work, &BlockShare::first_zero), ElementsAre(0, 2, 3, 4));
    EXPECT_THAT(field_of(work, &BlockShare::num_zeros), ElementsAre(2, 1, 1, 1));
}

TEST(SharedBlocks, RoundRobinGivesEveryNthBlockToACore) {
    const SharedBlocks work = share_blocks({2, 2}, {6, 0}, TileDistribution::RoundRobin);

    EXPECT_THAT(field_of(work, &BlockShare::first), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(field_of(work, &BlockShare::count), ElementsAre(2, 2, 1, 1));
    EXPECT_THAT(field_of(work, &BlockShare::stride), ElementsAre(4, 4, 4, 4));
}

TEST(SharedBlocks, CoresGoDownTheColumnsAsTheSplitDoes) {
    const SharedBlocks work = share_blocks({2, 2}, {3, 0}, TileDistribution::Block);

    ASSERT_EQ(work.shares.size(), 3U);
    EXPECT_EQ(work.shares[0].core, (CoreCoord{0, 0}));
    EXPECT_EQ(work.shares[1].core, (CoreCoord{0, 1}));
    EXPECT_EQ(work.shares[2].core, (CoreCoord{1, 0}));
}

TEST(SharedBlocks, WithoutBlocksZeroTilesAloneAreShared) {
    const SharedBlocks work = share_blocks({2, 2}, {0, 3}, TileDistribution::Block);

    EXPECT_THAT(field_of(work, &BlockShare::count), ElementsAre(0, 0, 0));
    EXPECT_THAT(field_of(work, &BlockShare::first_zero), ElementsAre(0, 1, 2));
    EXPECT_THAT(field_of(work, &BlockShare::num_zeros), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace tessera::ops
