// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "emu/tile/format/fp8_e4m3.hpp"
#include "emu/tile/format/fp8_e5m2.hpp"
#include "tests/golden/golden_file.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

bool is_e4m3_nan(std::uint8_t code) {
    return (code & 0x7FU) == 0x7FU;
}

void expect_golden_codes(const char* tensor, Overflow overflow) {
    const golden::GoldenFile file("e4m3_convert");
    const auto inputs = file.tensor("x").floats();
    const auto codes = file.tensor(tensor).as<std::uint8_t>();
    ASSERT_EQ(inputs.size(), codes.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::uint8_t code = e4m3_from_float(inputs[i], overflow);
        if (is_e4m3_nan(codes[i])) {
            EXPECT_TRUE(is_e4m3_nan(code)) << inputs[i];
        } else {
            EXPECT_EQ(code, codes[i]) << inputs[i];
        }
    }
}

TEST(Fp8E4m3, SaturatesAsTheGoldenCodes) {
    expect_golden_codes("code_sat", Overflow::Saturate);
}

TEST(Fp8E4m3, GivesNanBeyondTheRangeAsTheGoldenCodes) {
    expect_golden_codes("code_nan", Overflow::Special);
}

TEST(Fp8E4m3, DecodesEveryCodeAsTheGoldenTable) {
    const golden::GoldenFile file("e4m3_convert");
    const auto codes = file.tensor("decode_codes").as<std::uint8_t>();
    const auto values = file.tensor("decode_values").floats();
    ASSERT_EQ(codes.size(), 256U);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const float value = e4m3_to_float(codes[i]);
        EXPECT_TRUE(value == values[i] || (std::isnan(value) && std::isnan(values[i]))) << i;
    }
}

/// Computes the value of an e5m2 code from its fields.
double e5m2_by_formula(int code) {
    const int exponent = code >> 2 & 31;
    const int mantissa = code & 3;
    const double magnitude =
        exponent == 0 ? std::ldexp(mantissa, -16) : std::ldexp(4 + mantissa, exponent - 17);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

TEST(Fp8E5m2, DecodesEveryFiniteCodeByTheFormula) {
    for (int code = 0; code < 256; ++code) {
        if ((code & 0x7F) < 0x7C) {
            EXPECT_EQ(e5m2_to_float(static_cast<std::uint8_t>(code)), e5m2_by_formula(code));
        }
    }
    EXPECT_EQ(e5m2_to_float(0x7C), std::numeric_limits<float>::infinity());
    EXPECT_EQ(e5m2_to_float(0xFC), -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(e5m2_to_float(0x7D)));
}

TEST(Fp8E5m2, RoundsMidpointsToTheEvenCode) {
    for (int code = 0; code < 0x7B; ++code) {
        const double low = e5m2_by_formula(code);
        const double high = e5m2_by_formula(code + 1);
        const auto middle = static_cast<float>((low + high) / 2);
        const auto nearest = [](float value) { return static_cast<int>(e5m2_from_float(value)); };
        EXPECT_EQ(nearest(middle), code % 2 == 0 ? code : code + 1) << middle;
        EXPECT_EQ(nearest(std::nextafterf(middle, 0.0F)), code) << middle;
        EXPECT_EQ(nearest(std::nextafterf(middle, 1e9F)), code + 1) << middle;
    }
}

TEST(Fp8E5m2, OverflowIsInfinityOrTheLargestValue) {
    EXPECT_EQ(e5m2_from_float(61439.0F), 0x7B);
    EXPECT_EQ(e5m2_from_float(61440.0F), 0x7C);
    EXPECT_EQ(e5m2_from_float(-1e30F), 0xFC);
    EXPECT_EQ(e5m2_from_float(1e30F, Overflow::Saturate), 0x7B);
}

/// Returns values of both signs around every code of the format, its limits, infinities and NaN.
std::vector<float> probing_values(float (*decode)(std::uint8_t)) {
    std::vector<float> values{0.0F,
                              -0.0F,
                              1e30F,
                              -1e30F,
                              1e-30F,
                              1e-42F,
                              std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};
    for (int code = 0; code < 256; ++code) {
        const float value = decode(static_cast<std::uint8_t>(code));
        for (const float factor : {0.97F, 1.0F, 1.0625F, 1.07F}) {
            values.push_back(value * factor);
        }
    }
    values.resize((values.size() + kTileElements - 1) / kTileElements * kTileElements);
    return values;
}

struct TileForm {
    const char* name;
    float (*decode)(std::uint8_t);
    std::uint8_t (*encode)(float);
    void (*unpack)(const std::byte*, float*);
    void (*pack)(const float*, std::byte*);
};

class Fp8Tile : public testing::TestWithParam<TileForm> {};

TEST_P(Fp8Tile, PacksAsTheScalarRuleOnEverySimdTarget) {
    const TileForm& form = GetParam();
    const std::vector<float> values = probing_values(form.decode);
    on_each_simd_target([&](const char* target) {
        for (std::size_t first = 0; first < values.size(); first += kTileElements) {
            std::array<std::uint8_t, kTileElements> codes;
            form.pack(values.data() + first, reinterpret_cast<std::byte*>(codes.data()));
            for (std::size_t i = 0; i < kTileElements; ++i) {
                ASSERT_EQ(codes[i], form.encode(values[first + i]))
                    << target << " " << values[first + i];
            }
        }
    });
}

TEST_P(Fp8Tile, UnpacksEveryCodeAsTheScalarRuleOnEverySimdTarget) {
    const TileForm& form = GetParam();
    std::array<std::uint8_t, kTileElements> codes;
    for (std::size_t i = 0; i < kTileElements; ++i) {
        codes[i] = static_cast<std::uint8_t>(i);
    }
    on_each_simd_target([&](const char* target) {
        TileValues tile;
        form.unpack(reinterpret_cast<const std::byte*>(codes.data()), tile.data());
        for (std::size_t i = 0; i < kTileElements; ++i) {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(tile[i]),
                      std::bit_cast<std::uint32_t>(form.decode(codes[i])))
                << target << " " << i;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Fp8Tile,
    testing::Values(TileForm{"e4m3", e4m3_to_float, [](float x) { return e4m3_from_float(x); },
                             unpack_e4m3_tile, pack_e4m3_tile},
                    TileForm{"e5m2", e5m2_to_float, [](float x) { return e5m2_from_float(x); },
                             unpack_e5m2_tile, pack_e5m2_tile}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace tessera::tile
