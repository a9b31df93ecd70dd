// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/matmul.hpp"

#include <gtest/gtest.h>

#include "emu/tile/pack.hpp"
#include "tessera/errors.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

/// Sums in the order that matmul.hpp guarantees, with scalar fused multiply-adds.
TileValues reference_product(const TileValues& in0, const TileValues& in1, TileValues dst) {
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            float& sum = at(dst, row, column);
            for (std::uint32_t k = 0; k < kTileColumns; ++k) {
                sum = std::fma(at(in0, row, k), at(in1, k, column), sum);
            }
        }
    }
    return dst;
}

/// Keeps the first `bits` significant bits by arithmetic on the value.
float first_bits(float value, int bits) {
    if (value == 0) {
        return 0;
    }
    const double unit = std::ldexp(1.0, std::ilogb(value) + 1 - bits);
    return static_cast<float>(std::trunc(value / unit) * unit);
}

TileValues with_first_bits(TileValues tile, int bits) {
    for (float& value : tile) {
        value = first_bits(value, bits);
    }
    return tile;
}

TileValues difference(TileValues a, const TileValues& b) {
    for (std::size_t i = 0; i < kTileElements; ++i) {
        a[i] -= b[i];
    }
    return a;
}

TEST(MatmulTile, AddsTheProductInAscendingKOnEverySimdTarget) {
    const TileValues in0 = random_tile(1);
    const TileValues in1 = random_tile(2);
    const TileValues start = random_tile(3);
    const TileValues expected = reference_product(in0, in1, start);

    on_each_simd_target([&](const char* target) {
        TileValues dst = start;
        matmul_tile(in0.data(), in1.data(), dst.data());
        EXPECT_TRUE(same_bytes(dst, expected)) << target;
    });
}

TEST(MatmulTile, IdentityLeavesTheOperand) {
    const TileValues identity =
        make_tile([](auto row, auto column) { return row == column ? 1 : 0; });
    const TileValues in1 = random_tile(4);
    TileValues dst{};

    matmul_tile(identity.data(), in1.data(), dst.data());

    EXPECT_TRUE(same_bytes(dst, in1));
}

TEST(MatmulBlock, GivesTheBytesOfSingleTilesForEveryShape) {
    std::vector<TileValues> in0;
    std::vector<TileValues> in1;
    std::vector<const float*> rows;
    std::vector<const float*> columns;
    for (std::uint32_t i = 0; i < 4; ++i) {
        in0.push_back(random_tile(10 + i));
        in1.push_back(random_tile(20 + i));
    }
    for (std::size_t i = 0; i < 4; ++i) {
        rows.push_back(in0[i].data());
        columns.push_back(in1[i].data());
    }
    for (std::size_t rt = 1; rt <= 4; ++rt) {
        for (std::size_t ct = 1; ct <= 4; ++ct) {
            std::vector<TileValues> dst(rt * ct, random_tile(30));
            matmul_block(std::span(rows).first(rt), std::span(columns).first(ct), dst[0].data());
            for (std::size_t i = 0; i < rt * ct; ++i) {
                const TileValues expected =
                    reference_product(in0[i / ct], in1[i % ct], random_tile(30));
                EXPECT_TRUE(same_bytes(dst[i], expected)) << rt << "x" << ct << " tile " << i;
            }
        }
    }
}

TEST(MatmulTileBf16, LoFiKeepsSevenBitsOfIn0AndFiveOfIn1) {
    const TileValues in0 = random_bf16_tile(5);
    const TileValues in1 = random_bf16_tile(6);
    const TileValues expected =
        reference_product(with_first_bits(in0, 7), with_first_bits(in1, 5), {});
    TileValues dst{};

    matmul_tile_bf16(bf16_bytes(in0).data(), bf16_bytes(in1).data(), dst.data(),
                     MathFidelity::LoFi);

    EXPECT_TRUE(same_bytes(dst, expected));
}

TEST(MatmulTileBf16, HiFi2MakesIn1ExactAndKeepsSevenBitsOfIn0) {
    const TileValues in0 = random_bf16_tile(7);
    const TileValues in1 = random_bf16_tile(8);
    const TileValues expected = reference_product(with_first_bits(in0, 7), in1, {});
    TileValues dst{};

    matmul_tile_bf16(bf16_bytes(in0).data(), bf16_bytes(in1).data(), dst.data(),
                     MathFidelity::HiFi2);

    EXPECT_TRUE(same_bytes(dst, expected));
}

TEST(MatmulTileBf16, HiFi3LeavesOutOnlyTheProductOfLowParts) {
    const TileValues in0 = random_bf16_tile(9);
    const TileValues in1 = random_bf16_tile(10);
    const TileValues in0_low = difference(in0, with_first_bits(in0, 7));
    const TileValues first = reference_product(with_first_bits(in0, 7), in1, {});
    const TileValues expected = reference_product(in0_low, with_first_bits(in1, 5), first);
    TileValues dst{};

    matmul_tile_bf16(bf16_bytes(in0).data(), bf16_bytes(in1).data(), dst.data(),
                     MathFidelity::HiFi3);

    EXPECT_TRUE(same_bytes(dst, expected));
}

TEST(MatmulTileBf16, HiFi4IsTheExactProductOfBf16OnEverySimdTarget) {
    const TileValues in0 = random_bf16_tile(11);
    const TileValues in1 = random_bf16_tile(12);
    const TileValues expected = reference_product(in0, in1, {});

    on_each_simd_target([&](const char* target) {
        TileValues dst{};
        matmul_tile_bf16(bf16_bytes(in0).data(), bf16_bytes(in1).data(), dst.data());
        EXPECT_TRUE(same_bytes(dst, expected)) << target;
    });
}

TEST(MatmulBlock, Float32OperandsPassThroughTf32Registers) {
    const TileValues in0 = random_tile(13);
    const TileValues in1 = random_tile(14);
    // SrcB (in0) holds 11 significant bits; the last bit of SrcA (in1) is never multiplied.
    const TileValues expected =
        reference_product(with_first_bits(in0, 11), with_first_bits(in1, 10), {});
    const auto* const src0 = reinterpret_cast<const std::byte*>(in0.data());
    const auto* const src1 = reinterpret_cast<const std::byte*>(in1.data());
    TileValues dst{};

    matmul_block(MatmulOperand{{&src0, 1}, DataFormat::Float32},
                 MatmulOperand{{&src1, 1}, DataFormat::Float32}, dst.data());

    EXPECT_TRUE(same_bytes(dst, expected));
}

TEST(MatmulBlock, TransposedOperandSwapsRowsAndColumns) {
    const TileValues in0 = random_bf16_tile(15);
    const TileValues in1 = random_bf16_tile(16);
    const TileValues turned =
        make_tile([&](auto row, auto column) { return at(in1, column, row); });
    const TileValues expected = reference_product(in0, turned, {});
    const auto bytes0 = bf16_bytes(in0);
    const auto bytes1 = bf16_bytes(in1);
    const std::byte* src0 = bytes0.data();
    const std::byte* src1 = bytes1.data();
    TileValues dst{};

    matmul_block(MatmulOperand{{&src0, 1}},
                 MatmulOperand{{&src1, 1}, DataFormat::Float16_b, Orientation::Transposed},
                 dst.data());

    EXPECT_TRUE(same_bytes(dst, expected));
}

/// Computes a 16-bit DST as matmul.hpp states: per phase, rounded after every 16 products.
TileValues rounded_phase(const TileValues& in0, const TileValues& in1, TileValues dst) {
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            float& sum = at(dst, row, column);
            for (std::uint32_t k = 0; k < kTileColumns; ++k) {
                sum = std::fma(at(in0, row, k), at(in1, k, column), sum);
                sum = k % 16 == 15 ? round_to_bf16(sum) : sum;
            }
        }
    }
    return dst;
}

TEST(MatmulBlock, SixteenBitDstRoundsAfterEverySixteenProductsOfEachPhase) {
    const TileValues in0 = random_bf16_tile(17);
    const TileValues in1 = random_bf16_tile(18);
    const TileValues in0_high = with_first_bits(in0, 7);
    const TileValues in1_high = with_first_bits(in1, 5);
    TileValues expected = random_bf16_tile(19);
    TileValues dst = expected;
    expected = rounded_phase(in0_high, in1_high, expected);
    expected = rounded_phase(in0_high, difference(in1, in1_high), expected);
    const auto bytes0 = bf16_bytes(in0);
    const auto bytes1 = bf16_bytes(in1);
    const std::byte* src0 = bytes0.data();
    const std::byte* src1 = bytes1.data();

    matmul_block(MatmulOperand{{&src0, 1}}, MatmulOperand{{&src1, 1}}, dst.data(),
                 {MathFidelity::HiFi2, DstFormat::Float16_b});

    EXPECT_TRUE(same_bytes(dst, expected));
}

TEST(MatmulBlock, TakesBlockFloatOperandsAtTheirDecodedValue) {
    const TileValues in0 = make_tile([](auto row, auto column) { return (row + column) % 5; });
    const TileValues in1 = make_tile([](auto row, auto column) { return (row * column) % 4; });
    std::vector<std::byte> packed(tile_bytes(DataFormat::Bfp8_b));
    pack_tile(DataFormat::Bfp8_b, in0.data(), packed.data());
    const auto bytes1 = bf16_bytes(in1);
    const std::byte* src0 = packed.data();
    const std::byte* src1 = bytes1.data();
    TileValues dst{};

    matmul_block(MatmulOperand{{&src0, 1}, DataFormat::Bfp8_b}, MatmulOperand{{&src1, 1}},
                 dst.data());

    EXPECT_TRUE(same_bytes(dst, reference_product(in0, in1, {})));
}

TEST(MatmulBlock, RefusesIntegerOperands) {
    const TileValues tile{};
    const auto* const src = reinterpret_cast<const std::byte*>(tile.data());
    TileValues dst{};

    EXPECT_THROW(matmul_block(MatmulOperand{{&src, 1}, DataFormat::Int32},
                              MatmulOperand{{&src, 1}, DataFormat::Float32}, dst.data()),
                 InternalError);
}

}  // namespace
}  // namespace tessera::tile
