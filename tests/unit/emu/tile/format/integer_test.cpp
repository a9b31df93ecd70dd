// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/format/integer.hpp"

#include <gtest/gtest.h>

#include "emu/tile/pack.hpp"
#include "emu/tile/transpose.hpp"
#include "emu/tile/unpack.hpp"
#include "tessera/errors.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

/// Bit patterns of every kind of float, including signalling NaNs.
std::array<std::uint32_t, kTileElements> awkward_words() {
    std::array<std::uint32_t, kTileElements> words;
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        words[i] = 0x7F800001U + i * 0x00A00003U;
    }
    return words;
}

TEST(Integers, Int32KeepsEveryBitThroughDst) {
    const auto words = awkward_words();
    TileValues tile;
    std::array<std::uint32_t, kTileElements> back;

    unpack_tile(DataFormat::Int32, reinterpret_cast<const std::byte*>(words.data()), tile.data());
    transpose_tile(tile.data(), tile.data());
    transpose_tile(tile.data(), tile.data());
    pack_tile(DataFormat::UInt32, tile.data(), reinterpret_cast<std::byte*>(back.data()));

    EXPECT_EQ(back, words);
}

TEST(Integers, UInt16IsZeroExtendedAndKeepsItsLowerHalf) {
    std::array<std::uint16_t, kTileElements> values;
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        values[i] = static_cast<std::uint16_t>(i * 64 + 63);
    }
    TileValues tile;
    unpack_tile(DataFormat::UInt16, reinterpret_cast<const std::byte*>(values.data()), tile.data());
    EXPECT_EQ(bits_in(tile[1023]), 65535U);

    tile[0] = slot_of(0x00012345U);
    std::array<std::uint16_t, kTileElements> back;
    pack_tile(DataFormat::UInt16, tile.data(), reinterpret_cast<std::byte*>(back.data()));
    EXPECT_EQ(back[0], 0x2345);
    EXPECT_EQ(back[1], 127);
    EXPECT_EQ(back[1023], 65535);
}

TEST(Integers, UInt8SaturatesWhenPacked) {
    TileValues tile{};
    tile[0] = slot_of(255);
    tile[1] = slot_of(256);
    tile[2] = slot_of(7);
    std::array<std::uint8_t, kTileElements> packed;

    pack_tile(DataFormat::UInt8, tile.data(), reinterpret_cast<std::byte*>(packed.data()));

    EXPECT_EQ(packed[0], 255);
    EXPECT_EQ(packed[1], 255);
    EXPECT_EQ(packed[2], 7);
    EXPECT_EQ(packed[3], 0);
}

TEST(Pack, RefusesAFormatThatDoesNotExist) {
    const TileValues tile{};
    std::array<std::byte, 4096> out;
    TileValues unpacked;

    EXPECT_THROW(pack_tile(DataFormat::Invalid, tile.data(), out.data()), InternalError);
    EXPECT_THROW(unpack_tile(DataFormat::Invalid, out.data(), unpacked.data()), InternalError);
}

TEST(Pack, AccumulationAddsToWhatLiesInMemory) {
    const TileValues first = random_bf16_tile(1);
    const TileValues second = random_bf16_tile(2);
    std::vector<std::byte> bytes = bf16_bytes(first);

    pack_accumulate_tile(DataFormat::Float16_b, second.data(), bytes.data());

    TileValues sum;
    unpack_tile(DataFormat::Float16_b, bytes.data(), sum.data());
    for (std::size_t i = 0; i < kTileElements; ++i) {
        ASSERT_EQ(sum[i], round_to_bf16(first[i] + second[i])) << i;
    }
}

TEST(Unpack, Float32LosesThirteenBitsOnTheWayToASourceRegister) {
    const TileValues in = make_tile([](auto, auto) { return 0x1.FFFFFEp+3F; });
    TileValues whole;
    TileValues truncated;

    unpack_tile(DataFormat::Float32, reinterpret_cast<const std::byte*>(in.data()), whole.data());
    unpack_to_source_tile(DataFormat::Float32, reinterpret_cast<const std::byte*>(in.data()),
                          truncated.data());

    EXPECT_EQ(whole[17], 0x1.FFFFFEp+3F);
    EXPECT_EQ(truncated[17], 0x1.FFCp+3F);
}

}  // namespace
}  // namespace tessera::tile
