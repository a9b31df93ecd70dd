// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/dst_binary.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

struct BinaryCase {
    const char* name;
    BinaryOp op;
    float (*exact)(float, float);
};

class BinaryTile : public testing::TestWithParam<BinaryCase> {};

TEST_P(BinaryTile, WorksElementByElement) {
    const BinaryCase& row = GetParam();
    TileValues a = random_tile(1);
    const TileValues b = random_tile(2);
    TileValues out;

    binary_tile(row.op, a.data(), b.data(), out.data());

    for (std::size_t i = 0; i < kTileElements; ++i) {
        const float expected = row.exact(a[i], b[i]);
        ASSERT_TRUE(out[i] == expected || (std::isnan(out[i]) && std::isnan(expected))) << i;
    }
}

TEST_P(BinaryTile, TakesAScalarAsSecondOperand) {
    const BinaryCase& row = GetParam();
    const TileValues a = random_tile(3);
    TileValues out = a;

    unary_with_scalar_tile(row.op, out.data(), 1.75F);

    for (std::size_t i = 0; i < kTileElements; ++i) {
        const float expected = row.exact(a[i], 1.75F);
        ASSERT_TRUE(out[i] == expected || (std::isnan(out[i]) && std::isnan(expected))) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Ops, BinaryTile,
    testing::Values(
        BinaryCase{"add", BinaryOp::Add, [](float x, float y) { return x + y; }},
        BinaryCase{"sub", BinaryOp::Sub, [](float x, float y) { return x - y; }},
        BinaryCase{"rsub", BinaryOp::Rsub, [](float x, float y) { return y - x; }},
        BinaryCase{"mul", BinaryOp::Mul, [](float x, float y) { return x * y; }},
        BinaryCase{"div", BinaryOp::Div, [](float x, float y) { return x / y; }},
        BinaryCase{"max", BinaryOp::Max, [](float x, float y) { return std::fmax(x, y); }},
        BinaryCase{"min", BinaryOp::Min, [](float x, float y) { return std::fmin(x, y); }},
        BinaryCase{
            "power", BinaryOp::Power,
            [](float x, float y) { return static_cast<float>(std::pow(double{x}, double{y})); }}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(BinaryTile, MaxAndMinGiveBWhereEitherIsNan) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const TileValues a = make_tile([](auto, auto column) { return column % 2 == 0 ? kNan : 1.0F; });
    const TileValues b = make_tile([](auto, auto column) { return column % 2 == 0 ? 2.0F : kNan; });
    on_each_simd_target([&](const char* target) {
        TileValues out;
        binary_tile(BinaryOp::Max, a.data(), b.data(), out.data());
        EXPECT_EQ(out[0], 2.0F) << target;
        EXPECT_TRUE(std::isnan(out[1])) << target;
    });
}

}  // namespace
}  // namespace tessera::tile
