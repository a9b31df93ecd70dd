// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::vector<std::byte> all_pages(const TensorSpec& spec, std::span<const std::byte> values) {
    const TensorLayout layout(spec);
    // Garbage, to detect padding that is not written.
    std::vector<std::byte> pages(spec.num_bytes(), std::byte{0xAA});
    for (std::uint32_t i = 0; i < layout.num_pages(); ++i) {
        layout.pack(values, i,
                    std::span(pages).subspan(i * layout.page_size(), layout.page_size()));
    }
    return pages;
}

std::vector<std::byte> all_values(const TensorSpec& spec, std::span<const std::byte> pages) {
    const TensorLayout layout(spec);
    std::vector<std::byte> values(layout.num_value_bytes(), std::byte{0xBB});
    for (std::uint32_t i = 0; i < layout.num_pages(); ++i) {
        layout.unpack(pages.subspan(i * layout.page_size(), layout.page_size()), i, values);
    }
    return values;
}

std::vector<std::byte> counted_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(i * 7 + i / 251 + 1);
    }
    return bytes;
}

class GoldenTileLayout : public testing::TestWithParam<const char*> {
protected:
    SafetensorsFile file_{std::string(TESSERA_SOURCE_DIR) +
                          "/tests/golden/tile_layout.safetensors"};
    const StoredTensor& rows_ = file_.at(GetParam() + std::string(".row_major"));
    const StoredTensor& tiles_ = file_.at(GetParam() + std::string(".tiled"));
    TensorSpec spec_{rows_.shape, DataFormat::Float16_b, Layout::TILE};
};

TEST_P(GoldenTileLayout, IsMadeFromRows) {
    const std::vector<std::byte> pages = all_pages(spec_, rows_.bytes);

    EXPECT_TRUE(std::ranges::equal(pages, tiles_.bytes));
}

TEST_P(GoldenTileLayout, GivesItsRowsBack) {
    const std::vector<std::byte> values = all_values(spec_, tiles_.bytes);

    EXPECT_TRUE(std::ranges::equal(values, rows_.bytes));
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTileLayout, testing::Values("c0", "c1", "c2", "c3"));

struct FormatCase {
    std::string name;
    DataFormat format;
    Shape shape;
};

class TileOfFormat : public testing::TestWithParam<FormatCase> {};

// Element (b, r, c) of the values is at tile_offset(r, c) of its tile, written out.
TEST_P(TileOfFormat, HoldsEachElementAtItsOffset) {
    const auto& [name, format, shape] = GetParam();
    const TensorSpec spec{shape, format, Layout::TILE};
    const std::size_t size = element_bytes(format);
    const std::vector<std::byte> values = counted_bytes(num_elements(shape) * size);

    const std::vector<std::byte> pages = all_pages(spec, values);

    const std::uint32_t rows = shape[shape.size() - 2];
    const std::uint32_t columns = shape.back();
    const std::uint32_t down = (rows + 31) / 32;
    const std::uint32_t across = (columns + 31) / 32;
    std::vector<std::byte> due(pages.size(), std::byte{0});
    for (std::size_t i = 0; i < num_elements(shape); ++i) {
        const std::size_t c = i % columns;
        const std::size_t r = i / columns % rows;
        const std::size_t b = i / columns / rows;
        const std::size_t tile = (b * down + r / 32) * across + c / 32;
        const std::size_t face = (r % 32) / 16 * 2 + (c % 32) / 16;
        const std::size_t at = tile * 1024 + face * 256 + r % 16 * 16 + c % 16;
        std::memcpy(due.data() + at * size, values.data() + i * size, size);
    }
    EXPECT_EQ(pages, due);
    EXPECT_EQ(all_values(spec, pages), values);
}

INSTANTIATE_TEST_SUITE_P(Table, TileOfFormat,
                         testing::Values(FormatCase{"Float32", DataFormat::Float32, {33, 65}},
                                         FormatCase{"UInt32", DataFormat::UInt32, {2, 31, 17}},
                                         FormatCase{"UInt16", DataFormat::UInt16, {16, 16}},
                                         FormatCase{"UInt8", DataFormat::UInt8, {40, 15}},
                                         FormatCase{"Fp8", DataFormat::Fp8_e4m3, {2, 2, 32, 33}},
                                         FormatCase{"Bfloat16", DataFormat::Float16_b, {1, 1}}),
                         [](const auto& test) { return test.param.name; });

struct TileCase {
    std::string name;
    Tile tile;
    Shape shape;
};

class TinyTileLayout : public testing::TestWithParam<TileCase> {};

// Faces of a tiny tile are ordered left to right, then down. They are as high as the tile if it has
// fewer than 16 rows.
TEST_P(TinyTileLayout, HoldsEachElementInItsFace) {
    const auto& [name, tile, shape] = GetParam();
    const TensorSpec spec{shape, DataFormat::UInt16, Layout::TILE, tile};
    const std::vector<std::byte> values = counted_bytes(num_elements(shape) * 2);

    const std::vector<std::byte> pages = all_pages(spec, values);

    const std::uint32_t height = tile.get_height();
    const std::uint32_t width = tile.get_width();
    const std::uint32_t rows = shape[shape.size() - 2];
    const std::uint32_t columns = shape.back();
    const std::uint32_t down = (rows + height - 1) / height;
    const std::uint32_t across = (columns + width - 1) / width;
    const std::uint32_t face_rows = std::min(height, 16U);
    ASSERT_EQ(pages.size(),
              num_elements(shape) / rows / columns * down * across * height * width * 2);
    std::vector<std::byte> due(pages.size(), std::byte{0});
    for (std::size_t i = 0; i < num_elements(shape); ++i) {
        const std::size_t c = i % columns;
        const std::size_t r = i / columns % rows;
        const std::size_t b = i / columns / rows;
        const std::size_t page = (b * down + r / height) * across + c / width;
        const std::size_t face = r % height / 16 * (width / 16) + c % width / 16;
        const std::size_t at =
            page * height * width + face * face_rows * 16 + r % height % 16 * 16 + c % 16;
        std::memcpy(due.data() + at * 2, values.data() + i * 2, 2);
    }
    EXPECT_EQ(pages, due);
    EXPECT_EQ(all_values(spec, pages), values);
}

INSTANTIATE_TEST_SUITE_P(Table, TinyTileLayout,
                         testing::Values(TileCase{"Half", Tile({16, 32}), {33, 65}},
                                         TileCase{"Narrow", Tile({32, 16}), {2, 33, 31}},
                                         TileCase{"Face", Tile({16, 16}), {16, 17}},
                                         TileCase{"FourRows", Tile({4, 32}), {2, 5, 40}},
                                         TileCase{"Row", Tile({1, 16}), {3, 15}}),
                         [](const auto& test) { return test.param.name; });

TEST(TensorLayout, TakesAVectorAsOneRow) {
    const TensorSpec spec{{40}, DataFormat::UInt8, Layout::TILE};
    const std::vector<std::byte> values = counted_bytes(40);

    const std::vector<std::byte> pages = all_pages(spec, values);

    ASSERT_EQ(pages.size(), 2048U);
    EXPECT_EQ(pages[0], values[0]);
    EXPECT_EQ(pages[256], values[16]);
    EXPECT_EQ(pages[1024 + 7], values[39]);
    EXPECT_EQ(pages[1024 + 8], std::byte{0});
    EXPECT_EQ(all_values(spec, pages), values);
}

TEST(TensorLayout, KeepsRowsAsPages) {
    const TensorSpec spec{{3, 5, 7}, DataFormat::UInt16, Layout::ROW_MAJOR};
    const std::vector<std::byte> values = counted_bytes(3 * 5 * 7 * 2);

    EXPECT_EQ(all_pages(spec, values), values);
    EXPECT_EQ(all_values(spec, values), values);
    EXPECT_EQ(TensorLayout(spec).page_size(), 14U);
}

TEST(TensorLayout, LeavesPaddingOutOfTheValues) {
    const TensorSpec spec{{33, 3}, DataFormat::UInt8, Layout::TILE};

    const std::vector<std::byte> values =
        all_values(spec, std::vector<std::byte>(2048, std::byte{0xFF}));

    EXPECT_EQ(values, std::vector<std::byte>(99, std::byte{0xFF}));
}

TEST(TensorLayout, RefusesSpansOfOtherSize) {
    const TensorLayout layout(TensorSpec{{32, 32}, DataFormat::UInt8, Layout::TILE});
    std::vector<std::byte> bytes(1024);

    EXPECT_THROW(layout.pack(bytes, 1, bytes), InternalError);
    EXPECT_THROW(layout.pack(std::span(bytes).first(1023), 0, bytes), InternalError);
    EXPECT_THROW(layout.unpack(std::span(bytes).first(1023), 0, bytes), InternalError);
}

}  // namespace
}  // namespace tessera
