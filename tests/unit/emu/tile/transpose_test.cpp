// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/transpose.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

TEST(Transpose, SwapsRowsAndColumnsAcrossFaces) {
    const TileValues in = make_tile([](auto row, auto column) { return row * 32 + column; });
    TileValues out;

    transpose_tile(in.data(), out.data());

    EXPECT_EQ(out, make_tile([](auto row, auto column) { return column * 32 + row; }));
}

TEST(Transpose, WorksInPlace) {
    TileValues tile = make_tile([](auto row, auto column) { return row * 32 + column; });

    transpose_tile(tile.data(), tile.data());

    EXPECT_EQ(at(tile, 3, 20), 20 * 32 + 3);
    EXPECT_EQ(at(tile, 20, 3), 3 * 32 + 20);
}

}  // namespace
}  // namespace tessera::tile
