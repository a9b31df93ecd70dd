// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/format/bf16.hpp"

#include <gtest/gtest.h>

#include "tests/golden/golden_file.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

bool is_nan_code(std::uint16_t bits) {
    return (bits & 0x7FFFU) > 0x7F80U;
}

/// Golden inputs as tiles (the last one padded with zeros) and their expected codes.
struct Conversion {
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint16_t> nearest;
    std::vector<std::uint16_t> truncated;
};

Conversion golden_conversion() {
    const golden::GoldenFile file("bf16_convert");
    return {file.tensor("f32_bits").as<std::uint32_t>(),
            file.tensor("bf16_rne").as<std::uint16_t>(),
            file.tensor("bf16_trunc").as<std::uint16_t>()};
}

TEST(Bf16, RoundsEveryGoldenValueToNearestEven) {
    const Conversion golden = golden_conversion();
    for (std::size_t i = 0; i < golden.inputs.size(); ++i) {
        const std::uint16_t code = bf16_from_float(std::bit_cast<float>(golden.inputs[i]));
        if (is_nan_code(golden.nearest[i])) {
            EXPECT_EQ(code, 0x7FC0) << std::hex << golden.inputs[i];
        } else {
            EXPECT_EQ(code, golden.nearest[i]) << std::hex << golden.inputs[i];
        }
    }
}

TEST(Bf16, TruncatesEveryGoldenValue) {
    const Conversion golden = golden_conversion();
    for (std::size_t i = 0; i < golden.inputs.size(); ++i) {
        EXPECT_EQ(bf16_truncated(std::bit_cast<float>(golden.inputs[i])), golden.truncated[i]);
    }
}

TEST(Bf16, PackingATileRoundsAsTheScalarRuleOnEverySimdTarget) {
    const Conversion golden = golden_conversion();
    on_each_simd_target([&](const char* target) {
        for (std::size_t first = 0; first + kTileElements <= golden.inputs.size();
             first += kTileElements) {
            TileValues tile;
            std::memcpy(tile.data(), golden.inputs.data() + first, sizeof(tile));
            std::array<std::uint16_t, kTileElements> packed;
            pack_bf16_tile(tile.data(), reinterpret_cast<std::byte*>(packed.data()));
            for (std::size_t i = 0; i < kTileElements; ++i) {
                ASSERT_EQ(packed[i], bf16_from_float(tile[i])) << target << " " << first + i;
            }
        }
    });
}

TEST(Bf16, UnpackingIsExactForEveryCodeOnEverySimdTarget) {
    on_each_simd_target([&](const char* target) {
        for (std::uint32_t first = 0; first < 0x10000; first += kTileElements) {
            std::array<std::uint16_t, kTileElements> codes;
            for (std::uint32_t i = 0; i < kTileElements; ++i) {
                codes[i] = static_cast<std::uint16_t>(first + i);
            }
            TileValues tile;
            unpack_bf16_tile(reinterpret_cast<const std::byte*>(codes.data()), tile.data());
            for (std::uint32_t i = 0; i < kTileElements; ++i) {
                ASSERT_EQ(std::bit_cast<std::uint32_t>(tile[i]), (first + i) << 16) << target;
            }
        }
    });
}

TEST(Bf16, RoundingATileInPlaceKeepsItAsFloats) {
    TileValues tile = random_tile(1);
    TileValues expected = tile;
    for (float& value : expected) {
        value = bf16_to_float(bf16_from_float(value));
    }

    round_to_bf16_tile(tile.data());

    EXPECT_TRUE(same_bytes(tile, expected));
}

}  // namespace
}  // namespace tessera::tile
