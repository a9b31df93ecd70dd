// SPDX-License-Identifier: Apache-2.0
// One mistake with tiny tiles per test, with the whole message.
#include <gtest/gtest.h>

#include "tessera/program.hpp"
#include "tests/compute_core.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::fault_of;

// Adds tiles of a shape in buffer `index`, one of them granted.
void supply(ComputeCore& core, std::uint32_t index, Tile tile) {
    core.add_buffer(index, DataFormat::Float16_b, 1, 0, tile);
    core.core().circular_buffers[index].pages_received = 1;
    cb_wait_front(index, 1);
}

// Returns the message of a product of tiles of two shapes.
std::string product_of(Tile in0, Tile in1, std::uint32_t transpose) {
    ComputeCore core;
    supply(core, 0, in0);
    supply(core, 1, in1);
    core.add_buffer(16);
    mm_init(0, 1, 16, transpose);
    tile_regs_acquire();
    return fault_of([] { matmul_tiles(0, 1, 0, 0, 0); });
}

TEST(TinyTileErrors, ProductsNeedAsManyColumnsAsRows) {
    EXPECT_EQ(
        product_of(Tile({16, 32}), Tile({16, 32}), 0),
        "UndefinedBehavior: matmul_tiles of tiles 16×32 by tiles 16×32: columns of in0 are as "
        "long as rows of in1 are many");
    EXPECT_EQ(
        product_of(Tile({16, 32}), Tile({32, 16}), 1),
        "UndefinedBehavior: matmul_tiles of tiles 16×32 by tiles 32×16, transposed: columns of "
        "in0 are as long as rows of in1 are many");
}

TEST(TinyTileErrors, NoProductIsOfTwoFaces) {
    EXPECT_EQ(product_of(Tile({16, 16}), Tile({16, 16}), 0),
              "Unsupported: matmul_tiles: the matrix unit has no product of 16×16 tiles");
}

TEST(TinyTileErrors, ATileBehindTheGrantedOnesIsRefusedByItsOwnSize) {
    ComputeCore core;
    supply(core, 0, Tile({16, 32}));
    core.add_buffer(16);
    unary_op_init_common(0, 16);
    tile_regs_acquire();

    EXPECT_EQ(fault_of([] { copy_tile(0, 0, 0); }), "no fault");
    EXPECT_EQ(fault_of([] { copy_tile(0, 1, 0); }),
              "UndefinedBehavior: copy_tile(cb 0) reads tile 1, but cb_wait_front has granted 1 "
              "pages of 1024 bytes");
}

TEST(TinyTileErrors, OtherShapesDoNotExist) {
    const char* kAllowed = ", allowed: 1, 2, 4, 8, 16 or 32 rows of 16 or 32 columns";
    EXPECT_EQ(usage_error_message([] { Tile({3, 32}); }), std::string("Tile: 3×32") + kAllowed);
    EXPECT_EQ(usage_error_message([] { Tile({32, 8}); }), std::string("Tile: 32×8") + kAllowed);
    EXPECT_EQ(usage_error_message([] { Tile({288, 32}); }), std::string("Tile: 288×32") + kAllowed);
}

TEST(TinyTileErrors, TileDimsAreOfAnIndexOfTheConfig) {
    CircularBufferConfig config(2048, {{0, DataFormat::Float16_b}});
    EXPECT_EQ(usage_error_message([&] {
                  config.set_tile_dims(1, Tile({16, 32}));
              }),
              "CircularBufferConfig::set_tile_dims: index 1 has no format in this config");
}

}  // namespace
}  // namespace tessera
