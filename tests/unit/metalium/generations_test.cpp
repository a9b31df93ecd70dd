// SPDX-License-Identifier: Apache-2.0
// Kernels for each generation of the vendor's API, on one implementation.
#include "tests/unit/metalium/generations.hpp"

#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;

TEST(Generations, EachSpellingRunsOnOneImplementation) {
    ComputeCore core;
    const tile::TileValues in = tile::random_bf16_tile(1);
    core.supply(0, {in});
    core.add_buffer(16);
    cb_reserve_back(16, 1);

    testing::generation_a();
    EXPECT_EQ(core.tile_at(16)[0], 0.25F);
    cb_push_back(16, 1);
    cb_reserve_back(16, 1);
    testing::generation_b();
    EXPECT_EQ(core.tile_at(16, 1)[0], 4.0F);
    cb_reserve_back(16, 1);
    testing::generation_c();
    EXPECT_EQ(tile::at(core.tile_at(16, 2), 3, 20), tile::at(in, 20, 3));
}

}  // namespace
}  // namespace tessera
