// SPDX-License-Identifier: Apache-2.0
#include "tessera/buffer.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

std::vector<std::uint32_t> words_of(const Buffer& buffer) {
    std::vector<std::uint32_t> words{99};
    TensorAccessorArgs(buffer).append_to(words);
    return words;
}

Buffer sharded_in(BufferType type, CoreRangeSet cores) {
    Buffer buffer;
    buffer.type = type;
    buffer.layout = TensorMemoryLayout::HEIGHT_SHARDED;
    buffer.aligned_page_size = 64;
    buffer.shard = ShardSpec{std::move(cores), {2, 4}, {6, 4}, ShardOrientation::ROW_MAJOR, {}};
    return buffer;
}

TEST(TensorAccessorArgs, AppendsFlagsAndPageSizeForInterleavedDram) {
    Buffer buffer;
    buffer.aligned_page_size = 2048;

    EXPECT_EQ(words_of(buffer), (std::vector<std::uint32_t>{99, 2, 2048}));
}

TEST(TensorAccessorArgs, AppendsFlagsAndPageSizeForInterleavedL1) {
    Buffer buffer;
    buffer.type = BufferType::L1;
    buffer.aligned_page_size = 48;

    EXPECT_EQ(words_of(buffer), (std::vector<std::uint32_t>{99, 0, 48}));
}

TEST(TensorAccessorArgs, PacksTheCoordinatesOfL1ShardsInPairs) {
    Buffer buffer = sharded_in(BufferType::L1, CoreRange({0, 0}, {2, 0}));
    buffer.shard->noc_coords = {{18, 18}, {19, 18}, {20, 18}};

    EXPECT_EQ(words_of(buffer),
              (std::vector<std::uint32_t>{99, 1, 64, 2, 3, 6, 4, 2, 4, 0x13121212, 0x00001412}));
}

TEST(TensorAccessorArgs, GivesBankNumbersForDramShards) {
    EXPECT_EQ(words_of(sharded_in(BufferType::DRAM, CoreRange({4, 0}, {5, 0}))),
              (std::vector<std::uint32_t>{99, 3, 64, 2, 2, 6, 4, 2, 4, 0x05000400}));
}

TEST(ShardCores, FollowTheOrientation) {
    ShardSpec spec{CoreRange({0, 0}, {1, 1}), {1, 1}, {4, 1}, ShardOrientation::ROW_MAJOR, {}};
    EXPECT_EQ(shard_cores(spec), (std::vector<CoreCoord>{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));

    spec.orientation = ShardOrientation::COL_MAJOR;
    EXPECT_EQ(shard_cores(spec), (std::vector<CoreCoord>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

}  // namespace
}  // namespace tessera
