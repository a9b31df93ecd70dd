// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/eltwise.hpp"

#include <gtest/gtest.h>

#include "emu/tile/fidelity.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

TEST(Eltwise, AddsSubtractsAndMultipliesElementByElement) {
    const TileValues a = random_bf16_tile(1);
    const TileValues b = random_bf16_tile(2);
    TileValues sum;
    TileValues difference;
    TileValues product;

    eltwise_tile(EltwiseOp::Add, a.data(), b.data(), sum.data());
    eltwise_tile(EltwiseOp::Sub, a.data(), b.data(), difference.data());
    eltwise_tile(EltwiseOp::Mul, a.data(), b.data(), product.data());

    for (std::size_t i = 0; i < kTileElements; ++i) {
        ASSERT_EQ(sum[i], a[i] + b[i]);
        ASSERT_EQ(difference[i], a[i] - b[i]);
        ASSERT_EQ(product[i], a[i] * b[i]);
    }
}

TEST(Eltwise, AccumulatesOntoDst) {
    const TileValues a = random_bf16_tile(3);
    const TileValues b = random_bf16_tile(4);
    const TileValues start = random_tile(5);
    TileValues sum = start;
    TileValues product = start;

    eltwise_tile(EltwiseOp::Add, a.data(), b.data(), sum.data(), {.update = DstUpdate::Accumulate});
    eltwise_tile(EltwiseOp::Mul, a.data(), b.data(), product.data(),
                 {.update = DstUpdate::Accumulate});

    for (std::size_t i = 0; i < kTileElements; ++i) {
        ASSERT_EQ(sum[i], start[i] + (a[i] + b[i]));
        ASSERT_EQ(product[i], std::fma(a[i], b[i], start[i]));
    }
}

TEST(Eltwise, BroadcastUsesRowZeroColumnZeroOrTheCorner) {
    const TileValues b = random_bf16_tile(6);
    TileValues rows;
    TileValues columns;
    TileValues scalar;
    TileValues whole;

    broadcast_tile(Broadcast::Rows, b.data(), rows.data());
    broadcast_tile(Broadcast::Columns, b.data(), columns.data());
    broadcast_tile(Broadcast::Scalar, b.data(), scalar.data());
    broadcast_tile(Broadcast::None, b.data(), whole.data());

    EXPECT_EQ(rows, make_tile([&](auto, auto column) { return at(b, 0, column); }));
    EXPECT_EQ(columns, make_tile([&](auto row, auto) { return at(b, row, 0); }));
    EXPECT_EQ(scalar, make_tile([&](auto, auto) { return at(b, 0, 0); }));
    EXPECT_EQ(whole, b);
}

TEST(Eltwise, BroadcastAppliesToOperandB) {
    const TileValues a = random_bf16_tile(7);
    const TileValues b = random_bf16_tile(8);
    TileValues out;

    eltwise_tile(EltwiseOp::Sub, a.data(), b.data(), out.data(), {.broadcast = Broadcast::Columns});

    EXPECT_EQ(out,
              make_tile([&](auto row, auto column) { return at(a, row, column) - at(b, row, 0); }));
}

TEST(Eltwise, FidelityDropsThreeBitsOfAAndOneOfBInLoFi) {
    const TileValues a = random_bf16_tile(9);
    const TileValues b = random_bf16_tile(10);
    TileValues lofi;
    TileValues hifi2;
    TileValues hifi3;

    eltwise_tile(EltwiseOp::Mul, a.data(), b.data(), lofi.data(), {.fidelity = MathFidelity::LoFi});
    eltwise_tile(EltwiseOp::Mul, a.data(), b.data(), hifi2.data(),
                 {.fidelity = MathFidelity::HiFi2});
    eltwise_tile(EltwiseOp::Mul, a.data(), b.data(), hifi3.data(),
                 {.fidelity = MathFidelity::HiFi3});

    for (std::size_t i = 0; i < kTileElements; ++i) {
        const float a_high = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a[i]) & 0xFFF80000U);
        const float b_high = std::bit_cast<float>(std::bit_cast<std::uint32_t>(b[i]) & 0xFFFE0000U);
        ASSERT_EQ(lofi[i], a_high * b_high);
        ASSERT_EQ(hifi2[i], a[i] * b_high);
        ASSERT_EQ(hifi3[i], std::fma(a_high, b[i] - b_high, a[i] * b_high));
    }
}

TEST(Eltwise, DstMayBeAnOperand) {
    const TileValues a = random_bf16_tile(11);
    TileValues b = random_bf16_tile(12);
    TileValues expected;
    eltwise_tile(EltwiseOp::Mul, a.data(), b.data(), expected.data());

    eltwise_tile(EltwiseOp::Mul, a.data(), b.data(), b.data());

    EXPECT_EQ(b, expected);
}

}  // namespace
}  // namespace tessera::tile
