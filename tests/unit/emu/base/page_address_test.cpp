// SPDX-License-Identifier: Apache-2.0
#include "tessera/page_address.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace tessera {
namespace {

const BankLayout kBanks{12, {{3, 0}, {0, 0}, {2, 0}, {1, 0}}};

Buffer interleaved(BufferType type, std::uint32_t num_pages) {
    return {.device = 0,
            .type = type,
            .layout = TensorMemoryLayout::INTERLEAVED,
            .address = 1024,
            .page_size = 50,
            .aligned_page_size = 64,
            .num_pages = num_pages,
            .shard = std::nullopt};
}

Buffer sharded(std::vector<std::uint32_t> tensor, std::vector<std::uint32_t> shard,
               CoreRangeSet cores, ShardOrientation orientation) {
    Buffer buffer = interleaved(BufferType::L1, tensor[0] * tensor[1]);
    buffer.layout = TensorMemoryLayout::BLOCK_SHARDED;
    buffer.shard =
        ShardSpec{std::move(cores), std::move(shard), std::move(tensor), orientation, {}};
    return buffer;
}

TEST(PageMap, DealsDramPagesRoundRobinOverTheBanks) {
    const PageMap map(interleaved(BufferType::DRAM, 30), kBanks);

    EXPECT_EQ(map.locate(0), (PageLocation{BufferType::DRAM, 0, {}, 1024}));
    EXPECT_EQ(map.locate(11), (PageLocation{BufferType::DRAM, 11, {}, 1024}));
    EXPECT_EQ(map.locate(12), (PageLocation{BufferType::DRAM, 0, {}, 1024 + 64}));
    EXPECT_EQ(map.locate(29), (PageLocation{BufferType::DRAM, 5, {}, 1024 + 2 * 64}));
}

TEST(PageMap, DealsL1PagesOverTheShuffledCores) {
    const PageMap map(interleaved(BufferType::L1, 6), kBanks);

    EXPECT_EQ(map.locate(0), (PageLocation{BufferType::L1, 0, {3, 0}, 1024}));
    EXPECT_EQ(map.locate(1), (PageLocation{BufferType::L1, 1, {0, 0}, 1024}));
    EXPECT_EQ(map.locate(5), (PageLocation{BufferType::L1, 1, {0, 0}, 1024 + 64}));
}

TEST(PageMap, CountsTheFullestBank) {
    EXPECT_EQ(PageMap(interleaved(BufferType::DRAM, 0), kBanks).bytes_per_bank(), 0U);
    EXPECT_EQ(PageMap(interleaved(BufferType::DRAM, 1), kBanks).bytes_per_bank(), 64U);
    EXPECT_EQ(PageMap(interleaved(BufferType::DRAM, 12), kBanks).bytes_per_bank(), 64U);
    EXPECT_EQ(PageMap(interleaved(BufferType::DRAM, 13), kBanks).bytes_per_bank(), 128U);
}

TEST(PageMap, CountsWhatPagesTakeInEachDramBank) {
    const PageMap map(interleaved(BufferType::DRAM, 13), kBanks);

    EXPECT_EQ(map.bytes_in_bank(0), 128U);
    EXPECT_EQ(map.bytes_in_bank(1), 64U);
    EXPECT_EQ(map.bytes_in_bank(11), 64U);
}

// 4×6 pages in 2×3 shards: shard 0 top left, 1 top right, 2 bottom left, 3 bottom right.
TEST(PageMap, PutsBlockShardsOnCoresAlongTheRows) {
    const PageMap map(
        sharded({4, 6}, {2, 3}, CoreRange({0, 0}, {1, 1}), ShardOrientation::ROW_MAJOR), kBanks);

    EXPECT_EQ(map.locate(0), (PageLocation{BufferType::L1, 0, {0, 0}, 1024}));
    EXPECT_EQ(map.locate(3), (PageLocation{BufferType::L1, 1, {1, 0}, 1024}));
    EXPECT_EQ(map.locate(1 * 6 + 5), (PageLocation{BufferType::L1, 1, {1, 0}, 1024 + 5 * 64}));
    EXPECT_EQ(map.locate(2 * 6 + 1), (PageLocation{BufferType::L1, 2, {0, 1}, 1024 + 64}));
    EXPECT_EQ(map.locate(3 * 6 + 3), (PageLocation{BufferType::L1, 3, {1, 1}, 1024 + 3 * 64}));
    EXPECT_EQ(map.bytes_per_bank(), 6U * 64);
}

TEST(PageMap, PutsShardsDownTheColumnsIfColumnMajor) {
    const PageMap map(
        sharded({4, 6}, {2, 3}, CoreRange({0, 0}, {1, 1}), ShardOrientation::COL_MAJOR), kBanks);

    EXPECT_EQ(map.locate(3).core, (CoreCoord{0, 1}));
    EXPECT_EQ(map.locate(2 * 6).core, (CoreCoord{1, 0}));
}

TEST(PageMap, GivesPartialHeightShardsTheStrideOfWholeOnes) {
    const PageMap map(
        sharded({5, 2}, {2, 2}, CoreRange({0, 0}, {1, 0}), ShardOrientation::ROW_MAJOR), kBanks);

    // Rows from 4 on form shard 2, which wraps to core 0, after the 4 pages of shard 0.
    EXPECT_EQ(map.locate(4 * 2 + 1), (PageLocation{BufferType::L1, 0, {0, 0}, 1024 + 5 * 64}));
    EXPECT_EQ(map.bytes_per_bank(), 8U * 64);
}

TEST(PageMap, GivesPartialWidthShardsTheRowStrideOfWholeOnes) {
    const PageMap map(
        sharded({2, 5}, {2, 3}, CoreRange({0, 0}, {1, 0}), ShardOrientation::ROW_MAJOR), kBanks);

    EXPECT_EQ(map.locate(5 + 4), (PageLocation{BufferType::L1, 1, {1, 0}, 1024 + 4 * 64}));
}

TEST(PageMap, NeverPutsTwoPagesInOnePlace) {
    const PageMap map(
        sharded({7, 9}, {2, 4}, CoreRange({1, 1}, {2, 2}), ShardOrientation::COL_MAJOR), kBanks);

    std::set<std::pair<std::uint32_t, std::uint64_t>> places;
    for (std::uint32_t page = 0; page < 63; ++page) {
        const PageLocation at = map.locate(page);
        places.emplace(at.bank, at.address);
        EXPECT_LE(at.address + 64, 1024 + map.bytes_per_bank()) << page;
    }
    EXPECT_EQ(places.size(), 63U);
}

TEST(PageMap, TakesDramShardCoresAsBankNumbers) {
    Buffer buffer = sharded({2, 1}, {1, 1}, CoreRange({4, 0}, {5, 0}), ShardOrientation::ROW_MAJOR);
    buffer.type = BufferType::DRAM;

    EXPECT_EQ(locate_page(buffer, kBanks, 1), (PageLocation{BufferType::DRAM, 5, {}, 1024}));
}

}  // namespace
}  // namespace tessera
