// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/integer_ops.hpp"

#include <gtest/gtest.h>

#include "emu/tile/format/integer.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

constexpr std::uint32_t kA = 0xFFFFFFF0U;
constexpr std::uint32_t kB = 0x00000021U;

struct IntegerCase {
    const char* name;
    IntegerOp op;
    std::uint32_t expected;
};

class IntegerTile : public testing::TestWithParam<IntegerCase> {};

TEST_P(IntegerTile, WorksOnTheBitsOfEverySlot) {
    TileValues a;
    TileValues b;
    fill_integer_tile(a.data(), kA);
    fill_integer_tile(b.data(), kB);

    integer_tile(GetParam().op, a.data(), b.data(), b.data());
    integer_with_scalar_tile(GetParam().op, a.data(), kB);

    EXPECT_EQ(bits_in(b[0]), GetParam().expected);
    EXPECT_EQ(bits_in(b[1023]), GetParam().expected);
    EXPECT_TRUE(same_bytes(a, b));
}

INSTANTIATE_TEST_SUITE_P(Ops, IntegerTile,
                         testing::Values(IntegerCase{"add", IntegerOp::Add, 0x11},
                                         IntegerCase{"sub", IntegerOp::Sub, 0xFFFFFFCF},
                                         IntegerCase{"mul", IntegerOp::Mul, 0xFFFFFDF0},
                                         IntegerCase{"and", IntegerOp::And, 0x20},
                                         IntegerCase{"or", IntegerOp::Or, 0xFFFFFFF1},
                                         IntegerCase{"xor", IntegerOp::Xor, 0xFFFFFFD1},
                                         IntegerCase{"shift_left", IntegerOp::ShiftLeft, 0},
                                         IntegerCase{"shift_right", IntegerOp::ShiftRight, 0}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(IntegerTile, ShiftsByLessThanTheWidth) {
    TileValues tile;
    fill_integer_tile(tile.data(), 0x80000001U);
    integer_with_scalar_tile(IntegerOp::ShiftRight, tile.data(), 31);
    EXPECT_EQ(bits_in(tile[5]), 1U);
    integer_with_scalar_tile(IntegerOp::ShiftLeft, tile.data(), 4);
    EXPECT_EQ(bits_in(tile[5]), 16U);
}

TEST(IntegerTile, NotInvertsEveryBit) {
    TileValues tile;
    fill_integer_tile(tile.data(), 0x0F0F0000U);

    bitwise_not_tile(tile.data());

    EXPECT_EQ(bits_in(tile[100]), 0xF0F0FFFFU);
}

}  // namespace
}  // namespace tessera::tile
