// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "emu/tile/format/integer.hpp"
#include "emu/tile/sfpu.hpp"
#include "tessera/errors.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Returns the result of `function` for one value.
template <class Function>
float on(float value, Function function) {
    TileValues tile = make_tile([&](auto, auto) { return value; });
    function(tile.data());
    for (const float element : tile) {
        const bool is_same =
            std::bit_cast<std::uint32_t>(element) == std::bit_cast<std::uint32_t>(tile[0]);
        EXPECT_TRUE(is_same) << "elements of a uniform tile differ";
    }
    return tile[0];
}

TEST(Sfpu, RectifiersClampAsNamed) {
    EXPECT_EQ(on(-2.0F, sfpu::relu), 0.0F);
    EXPECT_EQ(on(2.0F, sfpu::relu), 2.0F);
    EXPECT_EQ(on(kNan, sfpu::relu), 0.0F);
    const auto upper = [](float* tile) { sfpu::relu_max(tile, 6.0F); };
    EXPECT_EQ(on(7.0F, upper), 6.0F);
    EXPECT_EQ(on(5.0F, upper), 5.0F);
    EXPECT_EQ(on(-1.0F, upper), 0.0F);
    const auto lower = [](float* tile) { sfpu::relu_min(tile, -0.5F); };
    EXPECT_EQ(on(-1.0F, lower), -0.5F);
    EXPECT_EQ(on(0.25F, lower), 0.25F);
    const auto leaky = [](float* tile) { sfpu::leaky_relu(tile, 0.25F); };
    EXPECT_EQ(on(-8.0F, leaky), -2.0F);
    EXPECT_EQ(on(8.0F, leaky), 8.0F);
}

TEST(Sfpu, ElementaryFunctions) {
    EXPECT_EQ(on(-3.5F, sfpu::abs), 3.5F);
    EXPECT_EQ(on(-3.5F, sfpu::negative), 3.5F);
    EXPECT_EQ(on(-3.5F, sfpu::sign), -1.0F);
    EXPECT_EQ(on(0.0F, sfpu::sign), 0.0F);
    EXPECT_EQ(on(1e-40F, sfpu::sign), 1.0F);
    EXPECT_EQ(on(-3.0F, [](float* tile) { sfpu::power(tile, 5); }), -243.0F);
    EXPECT_EQ(on(-3.0F, [](float* tile) { sfpu::power(tile, 0); }), 1.0F);
    EXPECT_EQ(on(-3.0F, [](float* tile) { sfpu::fill(tile, 0.125F); }), 0.125F);
}

TEST(Sfpu, SpecialValues) {
    EXPECT_EQ(on(kInfinity, sfpu::exp), kInfinity);
    EXPECT_EQ(on(-kInfinity, sfpu::exp), 0.0F);
    EXPECT_TRUE(std::isnan(on(kNan, sfpu::exp)));
    EXPECT_EQ(on(kInfinity, sfpu::exp2), kInfinity);
    EXPECT_EQ(on(-kInfinity, sfpu::exp2), 0.0F);
    EXPECT_EQ(on(-149.0F, sfpu::exp2), 0x1p-149F);
    EXPECT_TRUE(std::isnan(on(kNan, sfpu::exp2)));
    EXPECT_EQ(on(-kInfinity, sfpu::sigmoid), 0.0F);
    EXPECT_EQ(on(kInfinity, sfpu::sigmoid), 1.0F);
    EXPECT_TRUE(std::isnan(on(-kInfinity, sfpu::silu)));
    EXPECT_EQ(on(-kInfinity, sfpu::tanh), -1.0F);
    EXPECT_EQ(on(kInfinity, sfpu::gelu), kInfinity);
    EXPECT_TRUE(std::isnan(on(kNan, sfpu::gelu)));
    EXPECT_TRUE(std::isnan(on(kNan, sfpu::gelu_tanh)));
    EXPECT_EQ(on(0.0F, sfpu::log), -kInfinity);
    EXPECT_EQ(on(kInfinity, sfpu::log), kInfinity);
    EXPECT_TRUE(std::isnan(on(-1.0F, sfpu::log)));
    EXPECT_EQ(on(-0.0F, sfpu::recip), -kInfinity);
}

struct Comparison {
    const char* name;
    void (*function)(float*);
    float below;
    float zero;
    float above;
    float nan;
};

class Comparisons : public testing::TestWithParam<Comparison> {};

TEST_P(Comparisons, GiveOneWhereTheyHoldOnEverySimdTarget) {
    const Comparison& row = GetParam();
    on_each_simd_target([&](const char* target) {
        EXPECT_EQ(on(-1e-30F, row.function), row.below) << target;
        EXPECT_EQ(on(-0.0F, row.function), row.zero) << target;
        EXPECT_EQ(on(5.0F, row.function), row.above) << target;
        EXPECT_EQ(on(kNan, row.function), row.nan) << target;
    });
}

INSTANTIATE_TEST_SUITE_P(Sfpu, Comparisons,
                         testing::Values(Comparison{"eqz", sfpu::eqz, 0, 1, 0, 0},
                                         Comparison{"nez", sfpu::nez, 1, 0, 1, 1},
                                         Comparison{"ltz", sfpu::ltz, 1, 0, 0, 0},
                                         Comparison{"gtz", sfpu::gtz, 0, 0, 1, 0},
                                         Comparison{"lez", sfpu::lez, 1, 1, 0, 0},
                                         Comparison{"gez", sfpu::gez, 0, 1, 1, 0}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Sfpu, WhereTakesFromTheTileTheConditionNames) {
    const TileValues condition =
        make_tile([](auto row, auto column) { return (row + column) % 2; });
    const TileValues on_true =
        make_tile([](auto row, auto) { return 100 + static_cast<int>(row); });
    const TileValues on_false =
        make_tile([](auto, auto column) { return -static_cast<int>(column); });
    TileValues out;

    sfpu::where(condition.data(), on_true.data(), on_false.data(), out.data());

    EXPECT_EQ(at(out, 4, 7), 104.0F);
    EXPECT_EQ(at(out, 4, 8), -8.0F);
}

TEST(Sfpu, MaskZeroesEvenNanWhereTheSelectorIsZero) {
    TileValues tile = make_tile([](auto, auto) { return kNan; });
    const TileValues selector = make_tile([](auto row, auto) { return row < 3 ? 1 : 0; });

    sfpu::mask(tile.data(), selector.data());

    EXPECT_TRUE(std::isnan(at(tile, 2, 31)));
    EXPECT_EQ(at(tile, 3, 0), 0.0F);
}

std::uint32_t cast_bits(DataFormat from, DataFormat to, std::uint32_t bits) {
    TileValues tile{};
    tile[9] = slot_of(bits);
    sfpu::typecast(from, to, tile.data());
    return bits_in(tile[9]);
}

std::uint32_t float_bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

// Expected bits: tt-metal issues 51655 (uint16), 55933 (int32) and 55325 (uint8), measured on
// cards; uint32 as cast by the public simulator ttsim 1.10.0.
TEST(Typecast, FloatsRoundToTheNearestUint16WithHalvesAwayFromZero) {
    const auto cast = [](float value) {
        return cast_bits(DataFormat::Float32, DataFormat::UInt16, float_bits(value));
    };

    EXPECT_EQ(cast(0.5F), 1U);
    EXPECT_EQ(cast(1.5F), 2U);
    EXPECT_EQ(cast(2.5F), 3U);
    EXPECT_EQ(cast(3.75F), 4U);
    EXPECT_EQ(cast(-0.5F), 0U);
    EXPECT_EQ(cast(-7.0F), 0U);
    EXPECT_EQ(cast(70000.0F), 65535U);
    EXPECT_EQ(cast(kNan), 65535U);
    EXPECT_EQ(cast(std::copysign(kNan, -1.0F)), 0U);
}

TEST(Typecast, FloatsTruncateToInt32AndOverflowToTheLeast) {
    const auto cast = [](float value) {
        return cast_bits(DataFormat::Float32, DataFormat::Int32, float_bits(value));
    };

    EXPECT_EQ(cast(2.9F), 2U);
    EXPECT_EQ(cast(-2.9F), static_cast<std::uint32_t>(-2));
    EXPECT_EQ(cast(1e20F), 0x80000000U);
    EXPECT_EQ(cast(-1e20F), 0x80000000U);
    EXPECT_EQ(cast(kNan), 0x80000000U);
}

TEST(Typecast, FloatsTruncateToUint32WithinItsRange) {
    const auto cast = [](float value) {
        return cast_bits(DataFormat::Float32, DataFormat::UInt32, float_bits(value));
    };

    EXPECT_EQ(cast(2.9F), 2U);
    EXPECT_EQ(cast(-3.0F), 0U);
    EXPECT_EQ(cast(1e20F), 0xFFFFFFFFU);
    EXPECT_EQ(cast(kNan), 0xFFFFFFFFU);
}

TEST(Typecast, Uint8KeepsTheLowByte) {
    EXPECT_EQ(cast_bits(DataFormat::UInt32, DataFormat::UInt8, 300), 44U);
    EXPECT_EQ(cast_bits(DataFormat::UInt32, DataFormat::UInt8, 65536), 0U);
    EXPECT_EQ(cast_bits(DataFormat::UInt32, DataFormat::UInt8, 1000000), 64U);
    EXPECT_EQ(cast_bits(DataFormat::UInt32, DataFormat::UInt8, 0xFFFFFFFFU), 255U);
    EXPECT_EQ(cast_bits(DataFormat::Float16_b, DataFormat::UInt8, float_bits(254.0F)), 254U);
}

TEST(Typecast, Uint32IsClampedToUint16) {
    EXPECT_EQ(cast_bits(DataFormat::UInt32, DataFormat::UInt16, 70000), 65535U);
}

TEST(Typecast, IntegersBecomeTheNearestFloat) {
    EXPECT_EQ(cast_bits(DataFormat::Int32, DataFormat::Float32, static_cast<std::uint32_t>(-7)),
              float_bits(-7.0F));
    EXPECT_EQ(cast_bits(DataFormat::UInt32, DataFormat::Float32, 0xFFFFFFFFU),
              float_bits(4294967296.0F));
    EXPECT_EQ(cast_bits(DataFormat::UInt16, DataFormat::Float16_b, 257), float_bits(256.0F));
}

TEST(Typecast, RefusesFormatsThatDstDoesNotHold) {
    TileValues tile{};
    EXPECT_THROW(sfpu::typecast(DataFormat::Float32, DataFormat::Bfp8_b, tile.data()),
                 InternalError);
}

}  // namespace
}  // namespace tessera::tile
