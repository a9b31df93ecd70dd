// SPDX-License-Identifier: Apache-2.0
#include "tessera/memory_config.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/errors/host/usage_error_message.hpp"

namespace tessera {
namespace {

using Layouts = TensorMemoryLayout;

TensorSpec tiles(Shape shape) {
    return {std::move(shape), DataFormat::Float16_b, Layout::TILE};
}

struct Case {
    const char* name;
    Layouts layout;
    GridSize grid;
    std::vector<std::uint32_t> shard;  ///< rows and columns of pages
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
};

class MakeShardSpec : public ::testing::TestWithParam<Case> {};

TEST_P(MakeShardSpec, CutsPagesIntoEqualShards) {
    const Case& test = GetParam();

    // 2 × 240 rows are padded to 2 × 8 tiles, 250 columns to 8.
    const ShardSpec spec = make_shard_spec(
        tiles({2, 240, 250}), {BufferType::L1, test.layout, test.grid, test.orientation});

    EXPECT_EQ(spec.tensor_shape, (std::vector<std::uint32_t>{16, 8}));
    EXPECT_EQ(spec.shard_shape, test.shard);
    EXPECT_EQ(spec.cores.num_cores(), test.grid.columns * test.grid.rows);
    EXPECT_EQ(spec.orientation, test.orientation);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, MakeShardSpec,
    ::testing::Values(Case{"Block", Layouts::BLOCK_SHARDED, {4, 2}, {8, 2}},
                      Case{"BlockDownTheColumns",
                           Layouts::BLOCK_SHARDED,
                           {4, 2},
                           {4, 4},
                           ShardOrientation::COL_MAJOR},
                      Case{"Height", Layouts::HEIGHT_SHARDED, {4, 2}, {2, 8}},
                      Case{"Width", Layouts::WIDTH_SHARDED, {4, 2}, {16, 1}},
                      Case{"BlockRoundedUp", Layouts::BLOCK_SHARDED, {3, 3}, {6, 3}}),
    [](const auto& test) { return test.param.name; });

TEST(PageGridOf, RowsAreOneColumnOfPages) {
    const PageGrid grid = page_grid({{3, 5, 7}, DataFormat::Float32, Layout::ROW_MAJOR});

    EXPECT_EQ(grid.rows, 15U);
    EXPECT_EQ(grid.columns, 1U);
}

MemoryConfig in_banks(ShardShape shard, Layouts layout = Layouts::BLOCK_SHARDED) {
    return {.layout = layout, .grid = {12, 1}, .shard = shard};
}

// 2 × 8 tiles of rows and 8 of columns, in shards of four tiles of a column: more than banks.
TEST(StatedShard, IsTheShapeOfEachShard) {
    const ShardSpec spec = make_shard_spec(tiles({2, 240, 250}), in_banks({128, 32}));

    EXPECT_EQ(spec.shard_shape, (std::vector<std::uint32_t>{4, 1}));
    EXPECT_EQ(spec.tensor_shape, (std::vector<std::uint32_t>{16, 8}));
    EXPECT_EQ(spec.cores.num_cores(), 12U);
}

TEST(StatedShard, OfRowsCountsTheirElements) {
    const TensorSpec rows{{24, 100}, DataFormat::Float32, Layout::ROW_MAJOR};

    EXPECT_EQ(make_shard_spec(rows, in_banks({8, 100})).shard_shape,
              (std::vector<std::uint32_t>{8, 1}));
}

std::string refusal(const MemoryConfig& config) {
    return usage_error_message([&] { (void)make_shard_spec(tiles({160, 64}), config); });
}

TEST(StatedShardErrors, NameWhatDoesNotDivide) {
    EXPECT_EQ(
        refusal(in_banks({48, 32})),
        "sharding (160,64): shards of 48 rows are not whole pages; allowed: a multiple of 32");
    EXPECT_EQ(refusal(in_banks({32, 0})),
              "sharding (160,64): shards of 0 columns are not whole pages; allowed: a multiple of "
              "32");
    EXPECT_EQ(refusal(in_banks({64, 32})),
              "sharding (160,64): shards of 64 rows do not divide the 160 of the pages");
}

TEST(StatedShardErrors, NameTheLayoutThatTakesAShape) {
    EXPECT_EQ(refusal(in_banks({32, 64}, Layouts::HEIGHT_SHARDED)),
              "sharding (160,64): the shape of a shard is stated; allowed with it: layout block");
}

std::string refusal(Layouts layout, GridSize grid) {
    return usage_error_message([&] {
        (void)make_shard_spec(tiles({160, 64}),
                              {BufferType::L1, layout, grid, ShardOrientation::ROW_MAJOR});
    });
}

// 5 rows over 4 cores are 2 rows each on 3 cores; over 6 cores, one core has no row.
TEST(MakeShardSpecErrors, NamesCoresWithoutAShard) {
    EXPECT_EQ(refusal(Layouts::HEIGHT_SHARDED, {4, 1}),
              "sharding (160,64): 5 rows of pages do not reach 4 shards of 2");
    EXPECT_EQ(refusal(Layouts::HEIGHT_SHARDED, {6, 1}),
              "sharding (160,64): 5 rows of pages do not reach 6 shards of 1");
    EXPECT_EQ(refusal(Layouts::BLOCK_SHARDED, {3, 5}),
              "sharding (160,64): 2 columns of pages do not reach 3 shards of 1");
}

TEST(MakeShardSpecErrors, NamesAGridWithoutCores) {
    EXPECT_EQ(refusal(Layouts::BLOCK_SHARDED, {0, 0}),
              "sharding (160,64): the grid is 0x0, without cores");
}

}  // namespace
}  // namespace tessera
