// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/tilize.hpp"

#include <gtest/gtest.h>

#include "tests/golden/golden_file.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

/// Returns the last two dimensions as rows and columns, each other dimension as a batch.
MatrixShape shape_of(const golden::GoldenTensor& tensor) {
    MatrixShape shape{.element_bytes = 2};
    const std::size_t rank = tensor.shape.size();
    shape.columns = tensor.shape[rank - 1];
    shape.rows = tensor.shape[rank - 2];
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        shape.batches *= tensor.shape[i];
    }
    return shape;
}

class GoldenLayout : public testing::TestWithParam<std::string> {};

TEST_P(GoldenLayout, TilizesToTheGoldenBytes) {
    const golden::GoldenFile file("tile_layout");
    const auto row_major = file.tensor(GetParam() + ".row_major");
    const auto tiled = file.tensor(GetParam() + ".tiled");
    const MatrixShape shape = shape_of(row_major);
    ASSERT_EQ(shape.tiled_bytes(), tiled.bytes.size());
    std::vector<std::byte> out(shape.tiled_bytes(), std::byte{0xFF});

    tilize(shape, row_major.bytes.data(), out.data());

    EXPECT_EQ(out, tiled.bytes);
}

TEST_P(GoldenLayout, UntilizesToTheGoldenRows) {
    const golden::GoldenFile file("tile_layout");
    const auto row_major = file.tensor(GetParam() + ".row_major");
    const auto tiled = file.tensor(GetParam() + ".tiled");
    const MatrixShape shape = shape_of(row_major);
    ASSERT_EQ(shape.row_major_bytes(), row_major.bytes.size());
    std::vector<std::byte> out(shape.row_major_bytes(), std::byte{0xFF});

    untilize(shape, tiled.bytes.data(), out.data());

    EXPECT_EQ(out, row_major.bytes);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GoldenLayout, testing::Values("c0", "c1", "c2", "c3"),
                         [](const auto& row) { return row.param; });

template <class Element>
void expect_one_tile_follows_the_face_order() {
    constexpr std::uint32_t kSize = sizeof(Element);
    constexpr std::size_t kStride = 40 * kSize;  // rows longer than the tile
    std::vector<Element> rows(32 * 40);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = static_cast<Element>(i * 5);
    }
    std::array<Element, kTileElements> tile;
    tilize_tile(reinterpret_cast<const std::byte*>(rows.data()), kStride, kSize,
                reinterpret_cast<std::byte*>(tile.data()));
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            const std::uint32_t face = (row / 16) * 2 + column / 16;
            ASSERT_EQ(tile[face * 256 + (row % 16) * 16 + column % 16], rows[row * 40 + column]);
        }
    }
    std::vector<Element> back(32 * 40);
    untilize_tile(reinterpret_cast<const std::byte*>(tile.data()), kSize,
                  reinterpret_cast<std::byte*>(back.data()), kStride);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool is_beyond_the_tile = i % 40 >= kTileColumns;
        ASSERT_EQ(back[i], is_beyond_the_tile ? Element{0} : rows[i]) << "element " << i;
    }
}

TEST(TilizeTile, FollowsTheFaceOrderForEveryElementSizeOnEverySimdTarget) {
    on_each_simd_target([](const char* target) {
        SCOPED_TRACE(target);
        expect_one_tile_follows_the_face_order<std::uint8_t>();
        expect_one_tile_follows_the_face_order<std::uint16_t>();
        expect_one_tile_follows_the_face_order<std::uint32_t>();
        expect_one_tile_follows_the_face_order<std::uint64_t>();
    });
}

TEST(Tilize, OneRowMoreThanATileTakesASecondTileOfZeros) {
    const MatrixShape shape{.batches = 2, .rows = 33, .columns = 31, .element_bytes = 1};
    const std::vector<std::byte> ones(shape.row_major_bytes(), std::byte{1});
    std::vector<std::byte> tiles(shape.tiled_bytes(), std::byte{0xFF});

    tilize(shape, ones.data(), tiles.data());

    EXPECT_EQ(shape.num_tiles(), 4U);
    EXPECT_EQ(std::count(tiles.begin(), tiles.end(), std::byte{1}), 2 * 33 * 31);
    EXPECT_EQ(std::count(tiles.begin(), tiles.end(), std::byte{0}), 4 * 1024 - 2 * 33 * 31);
    EXPECT_EQ(tiles[tile_offset(31, 30)], std::byte{1});
    EXPECT_EQ(tiles[tile_offset(31, 31)], std::byte{0});
    EXPECT_EQ(tiles[1024 + tile_offset(0, 0)], std::byte{1});
    EXPECT_EQ(tiles[1024 + tile_offset(1, 0)], std::byte{0});
}

}  // namespace
}  // namespace tessera::tile
