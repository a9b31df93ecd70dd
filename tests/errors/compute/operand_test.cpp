// SPDX-License-Identifier: Apache-2.0
// One mistake with the circular buffers of compute calls per test, with the whole message.
#include <gtest/gtest.h>

#include "tessera/kernel/debug.hpp"
#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::fault_of;

// Buffers
// - 0: two bf16 tiles, waited for
// - 1: bfp8_b, one tile
// - 2: bf16, empty
// - 3: int32, one tile
// - 16: bf16, 4 pages
// - 17: float32
// - 18: pages of half a tile, one page
class Operands : public ::testing::Test {
protected:
    Operands() {
        core_.supply(0, {tile::random_bf16_tile(1), tile::random_bf16_tile(2)});
        core_.supply(1, {tile::random_bf16_tile(1)}, DataFormat::Bfp8_b);
        core_.add_buffer(2);
        core_.supply(3, {tile::TileValues{}}, DataFormat::Int32);
        core_.add_buffer(16, DataFormat::Float16_b, 4);
        core_.add_buffer(17, DataFormat::Float32);
        core_.add_buffer(18, DataFormat::Float16_b, 1, 1024);
        tile_regs_acquire();
    }
    ComputeCore core_;
};

TEST_F(Operands, MustBeGrantedByWaitFront) {
    copy_tile_init(0);

    EXPECT_EQ(fault_of([] { copy_tile(0, 2, 0); }),
              "UndefinedBehavior: copy_tile(cb 0) reads tile 2, but cb_wait_front has granted 2 "
              "pages of 2048 bytes");
    EXPECT_EQ(fault_of([] { copy_tile(2, 0, 0); }),
              "UndefinedBehavior: copy_tile(cb 2) reads tile 0, but cb_wait_front has granted 0 "
              "pages of 2048 bytes");
}

TEST_F(Operands, AreNoLongerGrantedAfterPop) {
    copy_tile_init(0);
    cb_pop_front(0, 1);

    EXPECT_EQ(fault_of([] { copy_tile(0, 0, 0); }), "no fault");
    EXPECT_EQ(fault_of([] { copy_tile(0, 1, 0); }),
              "UndefinedBehavior: copy_tile(cb 0) reads tile 1, but cb_wait_front has granted 1 "
              "pages of 2048 bytes");
}

TEST_F(Operands, MayBeGrantedThroughAnotherIndexOverTheSameMemory) {
    core_.core().circular_buffers[4] = core_.core().circular_buffers[0];
    core_.thread().cb[4] = core_.thread().cb[0];
    core_.thread().cb[4].pages_granted = 0;
    copy_tile_init(4);

    EXPECT_EQ(fault_of([] { copy_tile(4, 1, 0); }), "no fault");
    cb_pop_front(0, 2);
    EXPECT_EQ(fault_of([] { copy_tile(4, 1, 0); }),
              "UndefinedBehavior: copy_tile(cb 4) reads tile 1, but cb_wait_front has granted 0 "
              "pages of 2048 bytes");
}

TEST_F(Operands, MustBeConfigured) {
    copy_tile_init(0);

    EXPECT_EQ(fault_of([] { copy_tile(9, 0, 0); }),
              "UndefinedBehavior: copy_tile(cb 9): the program configures no circular buffer 9 on "
              "this core");
    EXPECT_EQ(fault_of([] { copy_tile(32, 0, 0); }),
              "OutOfBounds: copy_tile(cb 32): a core has circular buffers 0 to 31");
}

TEST_F(Operands, MustHaveTheFormatOfTheirRegister) {
    unary_op_init_common(0, 16);
    EXPECT_EQ(fault_of([] { copy_tile(1, 0, 0); }),
              "UndefinedBehavior: copy_tile(cb 1): the circular buffer holds bfp8_b, but SrcA is "
              "configured for bfloat16; reconfig_data_format_srca is missing");

    // A matmul takes its first operand through SrcB.
    mm_init(0, 0, 16);
    EXPECT_EQ(fault_of([] { matmul_tiles(1, 0, 0, 0, 0); }),
              "UndefinedBehavior: matmul_tiles(cb 1): the circular buffer holds bfp8_b, but SrcB "
              "is configured for bfloat16; reconfig_data_format_srcb is missing");
    reconfig_data_format_srcb(1);
    EXPECT_EQ(fault_of([] { matmul_tiles(1, 0, 0, 0, 0); }), "no fault");
}

TEST_F(Operands, OfTheMatrixUnitAreNoIntegers) {
    add_tiles_init(3, 3);

    EXPECT_EQ(fault_of([] { add_tiles(3, 3, 0, 0, 0); }),
              "Unsupported: add_tiles(cb 3): takes no int32 tiles; copy_tile and "
              "the functions of the vector unit do");
}

TEST(WideIntegers, NeedAThirtyTwoBitDst) {
    ComputeCore core(ComputeConfig{});
    core.supply(3, {tile::TileValues{}}, DataFormat::Int32);
    tile_regs_acquire();
    copy_tile_init(3);

    EXPECT_EQ(fault_of([] { copy_tile(3, 0, 0); }),
              "UndefinedBehavior: copy_tile(cb 3): int32 tiles need a 32-bit DST, but "
              "fp32_dest_acc_en is off");
}

TEST(UnpackToDest, ShutsTheMatrixUnitOut) {
    ComputeCore core(
        {.fp32_dest_acc_en = true, .unpack_to_dest_mode = {UnpackToDestMode::UnpackToDestFp32}});
    core.supply(0, {tile::random_bf16_tile(1)}, DataFormat::Float32);
    tile_regs_acquire();
    add_tiles_init(0, 0);

    EXPECT_EQ(fault_of([] { add_tiles(0, 0, 0, 0, 0); }),
              "UndefinedBehavior: add_tiles(cb 0): the matrix unit cannot read a circular buffer "
              "with UnpackToDestFp32, whose tiles go past the source registers");
}

class Packing : public Operands {
protected:
    Packing() {
        tile_regs_commit();
        tile_regs_wait();
    }
};

TEST_F(Packing, NeedsReservedPages) {
    cb_reserve_back(16, 1);
    pack_tile(0, 16);

    EXPECT_EQ(fault_of([] { pack_tile(0, 16); }),
              "UndefinedBehavior: pack_tile(cb 16) writes page 1, but cb_reserve_back has reserved "
              "1 pages");
    EXPECT_EQ(fault_of([] { pack_tile<true>(0, 16, 3); }),
              "UndefinedBehavior: pack_tile(cb 16) writes page 3, but cb_reserve_back has reserved "
              "1 pages");
}

TEST_F(Packing, MustNotSpillPastTheEnd) {
    cb_reserve_back(18, 1);

    EXPECT_EQ(fault_of([] { pack_tile(0, 18); }),
              "OutOfBounds: pack_tile(cb 18): 2048 bytes at L1 address 700416 run 1024 bytes past "
              "the end of the circular buffer");
}

TEST_F(Packing, NeedsThePackersFormat) {
    unary_op_init_common(0, 16);
    cb_reserve_back(17, 1);

    EXPECT_EQ(fault_of([] { pack_tile(0, 17); }),
              "UndefinedBehavior: pack_tile(cb 17): the circular buffer holds float32, but the "
              "packer is configured for bfloat16; pack_reconfig_data_format is missing");
    pack_reconfig_data_format(17);
    EXPECT_EQ(fault_of([] { pack_tile(0, 17); }), "no fault");
}

TEST_F(Operands, MaskLiesBehindItsData) {
    EXPECT_EQ(fault_of([] { mask_tile(0, 2); }),
              "UndefinedBehavior: mask_tile(0, 2): the mask must lie in the DST tile behind the "
              "data");
}

TEST_F(Operands, RowsOfTilizeAreThoseOfItsInit) {
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
    tilize_init(0, 1, 16);

    EXPECT_EQ(fault_of([] { tilize_block(0, 2, 16); }),
              "UndefinedBehavior: tilize_block of 2 tiles from tile 0 on, but tilize_init set rows "
              "of 1 tiles");
}

TEST(KernelAssert, NamesItsCondition) {
    EXPECT_EQ(fault_of([] { ASSERT(1 + 1 == 3); }), "UndefinedBehavior: ASSERT(1 + 1 == 3) failed");
    EXPECT_EQ(fault_of([] { ASSERT(1 + 1 == 2); }), "no fault");
}

}  // namespace
}  // namespace tessera
