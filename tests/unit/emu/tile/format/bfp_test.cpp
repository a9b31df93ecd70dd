// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "emu/tile/format/bfp4_b.hpp"
#include "emu/tile/format/bfp8_b.hpp"
#include "tests/golden/golden_file.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

/// The golden tensors hold (row, column); tiles here are in face order.
TileValues golden_tile(const std::vector<float>& values, std::size_t index) {
    return make_tile([&](auto row, auto column) {
        return values[index * kTileElements + row * kTileColumns + column];
    });
}

TEST(Bfp8, PacksTheGoldenTilesToTheirBytesOnEverySimdTarget) {
    const golden::GoldenFile file("bfp8_tiles");
    const auto values = file.tensor("x").floats();
    const auto packed = file.tensor("packed").bytes;
    const std::size_t size = tile_bytes(DataFormat::Bfp8_b);
    ASSERT_EQ(packed.size(), 4 * size);
    on_each_simd_target([&](const char* target) {
        for (std::size_t i = 0; i < 4; ++i) {
            std::vector<std::byte> out(size);
            pack_bfp8_tile(golden_tile(values, i).data(), out.data());
            EXPECT_EQ(std::memcmp(out.data(), packed.data() + i * size, size), 0)
                << target << " tile " << i;
        }
    });
}

TEST(Bfp8, UnpacksTheGoldenTilesToTheirValuesOnEverySimdTarget) {
    const golden::GoldenFile file("bfp8_tiles");
    const auto values = file.tensor("value").floats();
    const auto packed = file.tensor("packed").bytes;
    on_each_simd_target([&](const char* target) {
        for (std::size_t i = 0; i < 4; ++i) {
            TileValues tile;
            unpack_bfp8_tile(packed.data() + i * tile_bytes(DataFormat::Bfp8_b), tile.data());
            EXPECT_EQ(tile, golden_tile(values, i)) << target << " tile " << i;
        }
    });
}

TEST(Bfp8, SignOnMagnitudeZeroDecodesAsMinusInfinity) {
    std::vector<std::byte> packed(tile_bytes(DataFormat::Bfp8_b));
    packed[64] = std::byte{0x80};
    TileValues tile;

    unpack_bfp8_tile(packed.data(), tile.data());

    EXPECT_EQ(tile[0], -std::numeric_limits<float>::infinity());
    EXPECT_EQ(tile[1], 0.0F);
}

TEST(Bfp4, CodesOfOneBlockByHand) {
    // Largest 6: exponent 129, so one unit is 2^(129-127-2) = 1.
    TileValues tile{};
    const std::array<float, 8> block{6.0F, -1.0F, 0.5F, 1.5F, -2.5F, 7.9F, 0.49F, 3.0F};
    std::copy(block.begin(), block.end(), tile.begin());
    std::vector<std::byte> packed(tile_bytes(DataFormat::Bfp4_b));

    pack_bfp4_tile(tile.data(), packed.data());

    EXPECT_EQ(packed[0], std::byte{129});
    // 6, -1 | 0.5 ties to 0, 1.5 ties to 2 | -2.5 ties to -2, 7.9 held at 7 | 0.49 is 0, 3
    EXPECT_EQ(packed[64], std::byte{0x96});
    EXPECT_EQ(packed[65], std::byte{0x20});
    EXPECT_EQ(packed[66], std::byte{0x7A});
    EXPECT_EQ(packed[67], std::byte{0x30});
}

TEST(Bfp4, UnpackingGivesTheScalarValuesOnEverySimdTarget) {
    const TileValues tile = random_tile(1);
    std::vector<std::byte> packed(tile_bytes(DataFormat::Bfp4_b));
    on_each_simd_target([&](const char* target) {
        pack_bfp4_tile(tile.data(), packed.data());
        TileValues back;
        unpack_bfp4_tile(packed.data(), back.data());
        for (std::size_t i = 0; i < kTileElements; ++i) {
            const auto exponent = static_cast<std::uint32_t>(packed[i / 16]);
            const std::uint8_t code = block_encode<3>(tile[i], exponent);
            ASSERT_EQ(back[i], block_decode<3>(code, exponent)) << target << " " << i;
            ASSERT_NEAR(back[i], tile[i], std::ldexp(1.0, static_cast<int>(exponent) - 129));
        }
    });
}

TEST(BlockFloat, UnitOfSmallExponentsIsADenormal) {
    EXPECT_EQ(block_unit<7>(127), 0x1p-6F);
    EXPECT_EQ(block_unit<7>(7), 0x1p-126F);
    EXPECT_EQ(block_unit<7>(6), 0x1p-127F);
    EXPECT_EQ(block_unit<7>(0), 0x1p-133F);
    EXPECT_EQ(block_unit<3>(2), 0x1p-127F);
}

}  // namespace
}  // namespace tessera::tile
