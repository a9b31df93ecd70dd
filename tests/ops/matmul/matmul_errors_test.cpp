// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/matmul/matmul_cases.hpp"
#include "tests/ops/matmul/matmul_run.hpp"

namespace tessera::ops::matmul {
namespace {

/// 3 × 8 × 8 tiles on 4×3 cores; a test spoils one of them.
struct Spoilable {
    MatmulShape shape{96, 256, 256};
    MatmulSpec schedule{.schedule = kGrid, .grid = {}, .in0_block_w = 2, .out_subblock = {1, 2}};

    [[nodiscard]] std::string message() const {
        return usage_error_message(
            [&] { (void)operand_layouts(testing::make_arch(4, 3), shape, schedule); });
    }
};

TEST(MatmulErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(MatmulErrors, NamesAnExtentOfZero) {
    Spoilable test;
    test.shape.n = 0;
    EXPECT_EQ(test.message(), "matmul: M 96, K 256, N 0; each must be at least 1");
}

TEST(MatmulErrors, NamesLengthsOfZero) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(), "matmul: in0_block_w is 2 and cb_depth 0; both must be at least 1");
}

TEST(MatmulErrors, NamesAKBlockThatDoesNotDivideK) {
    Spoilable test;
    test.schedule.in0_block_w = 3;
    EXPECT_EQ(test.message(), "matmul: K is 8 tiles, which in0_block_w 3 does not divide");
}

TEST(MatmulErrors, NamesASubblockLargerThanHalfOfDst) {
    Spoilable test;
    test.schedule.out_subblock = {3, 3};
    EXPECT_EQ(test.message(),
              "matmul: out_subblock of 3x3 tiles does not fit in half of DST; with bfloat16 "
              "accumulation 1 to 8 tiles do");
    test.schedule.out_subblock = {1, 5};
    test.schedule.fp32_dest_acc = true;
    EXPECT_EQ(test.message(),
              "matmul: out_subblock of 1x5 tiles does not fit in half of DST; with fp32 "
              "accumulation 1 to 4 tiles do");
}

TEST(MatmulErrors, NamesAnOutBlockThatDoesNotDividePerCore) {
    Spoilable test;
    test.schedule.per_core_n = 6;
    test.schedule.out_block_w = 4;
    EXPECT_EQ(test.message(), "matmul: per_core_n is 6 tiles, which out_block_w 4 does not divide");
}

TEST(MatmulErrors, NamesASubblockThatDoesNotDivideTheOutBlock) {
    Spoilable test;
    test.schedule.per_core_m = 3;
    test.schedule.out_subblock = {2, 1};
    EXPECT_EQ(test.message(),
              "matmul: out_block_h is 3 tiles, which the height of out_subblock, 2, does not "
              "divide");
}

TEST(MatmulErrors, NamesBlocksThatNeedMoreCores) {
    Spoilable test;
    test.schedule.grid = {3, 2};
    test.schedule.per_core_m = 1;
    EXPECT_EQ(test.message(),
              "matmul: M is 3 tiles; at per_core_m 1 they need 3 cores, but the grid has 2 for "
              "them");
    test.schedule.schedule = kLine;
    test.shape.m = 224;
    EXPECT_EQ(test.message(),
              "matmul: M is 7 tiles; at per_core_m 1 they need 7 cores, but the grid has 6 for "
              "them");
}

TEST(MatmulErrors, NamesAGridLargerThanTheDevice) {
    Spoilable test;
    test.schedule.grid = {5, 3};
    EXPECT_EQ(test.message(),
              "matmul: the schedule's grid is 5x3; test_arch has 1x1 to 4x3 cores (0x0: all)");
}

TEST(MatmulErrors, NamesAPlacementThatTheScheduleDoesNotHave) {
    Spoilable test;
    test.schedule.in0 = kHeights;
    EXPECT_EQ(test.message(),
              "matmul: in0 is height-sharded in L1; under this schedule it must be interleaved or "
              "block-sharded in L1");
    test.schedule.in0 = kDram;
    test.schedule.in1 = kBlocks;
    EXPECT_EQ(test.message(),
              "matmul: in1 is block-sharded in L1; under this schedule it must be interleaved");
    test.schedule.in1 = kDram;
    test.schedule.out = kHeights;
    test.schedule.schedule = kLine;
    test.schedule.multicast_operand = MulticastOperand::In0;
    EXPECT_EQ(test.message(),
              "matmul: out is height-sharded in L1; under this schedule it must be interleaved");
}

TEST(MatmulErrors, NamesAFormatThatTheMatrixUnitDoesNotTake) {
    Spoilable test;
    test.schedule.in1.format = DataFormat::UInt16;
    EXPECT_EQ(test.message(),
              "matmul: in1 is uint16; it must be bfloat16, float32, bfp8_b or bfp4_b");
}

TEST(MatmulErrors, NamesBlocksThatWouldLeaveAShardOutOfOrder) {
    Spoilable test;
    test.shape = {192, 256, 512};
    test.schedule.out = kBlocks;
    test.schedule.out_block_w = 2;
    test.schedule.per_core_n = 4;
    EXPECT_EQ(test.message(),
              "matmul: out is sharded in per_core_n 4 columns; out_block_w 2 must be as wide, or "
              "out_block_h 2 be 1");
    test.schedule.out_block_w = 0;
    test.schedule.out_subblock = {2, 2};
    EXPECT_EQ(test.message(),
              "matmul: out is sharded in rows of 4 tiles; out_subblock 2x2 must be as wide, or "
              "one row high");
}

// 1499136 - 103712 B of L1; 16-bit tiles of 2048 B.
TEST(MatmulErrors, NamesEveryPartOfWhatL1DoesNotHold) {
    Spoilable test;
    test.shape = {96, 2048, 4096};
    test.schedule.in0_block_w = 16;
    test.schedule.in0 = kBlocks;
    EXPECT_EQ(test.message(),
              "matmul: the schedule takes 2260992 B of a core's L1, but test_arch has 1395424 B "
              "for buffers: in0 65536 B, in1 2097152 B, out 65536 B, tensor in0 32768 B");
}

TEST(MatmulErrors, NamesTheBuffersOfSingleTilesThatL1DoesNotHold) {
    Spoilable test;
    test.schedule.schedule = kMulti;
    test.schedule.cb_depth = 300;
    EXPECT_EQ(test.message(),
              "matmul: the schedule takes 1843200 B of a core's L1, but test_arch has 1395424 B "
              "for buffers: in0 614400 B, in1 614400 B, out 614400 B");
}

/// Tensors as the schedule wants them, before a test spoils one.
struct SpoilableTensors {
    MatmulSpec schedule{.schedule = kGrid, .grid = {}, .in0 = kBlocks};
    MatmulDevice device{testing::make_arch(4, 3)};
    OperandLayouts layouts = operand_layouts(testing::make_arch(4, 3), {96, 128, 160}, schedule);
    DeviceTensor in0 = device.allocate("in0", layouts.in0);
    DeviceTensor in1 = device.allocate("in1", layouts.in1);
    DeviceTensor out = device.allocate("out", layouts.out);

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)make_program(testing::make_arch(4, 3), {in0, in1}, {out}, schedule);
        });
    }
};

TEST(MatmulErrors, AcceptsTensorsThatTheOthersSpoil) {
    EXPECT_EQ(SpoilableTensors{}.message(), "(nothing thrown)");
}

TEST(MatmulErrors, NamesOperandsWhoseInnerExtentsDiffer) {
    SpoilableTensors test;
    test.in1.spec.shape = {96, 160};
    EXPECT_EQ(test.message(),
              "matmul: in0 is (96,128) and in1 (96,160); they must be (M,K) and (K,N)");
}

TEST(MatmulErrors, NamesAnOutputOfAnotherShapeOrFormat) {
    SpoilableTensors test;
    test.out.spec.shape = {96, 128};
    EXPECT_EQ(test.message(),
              "matmul: out is (96,128) bfloat16 TILE; it must be (96,160) bfloat16 TILE");
    test.out.spec.shape = {96, 160};
    test.out.spec.format = DataFormat::Float32;
    EXPECT_EQ(test.message(),
              "matmul: out is (96,160) float32 TILE; it must be (96,160) bfloat16 TILE");
}

TEST(MatmulErrors, NamesATensorInOtherShards) {
    SpoilableTensors test;
    test.in0.buffer.shard->shard_shape = {1, 1};
    EXPECT_EQ(
        test.message(),
        "matmul: in0 is block-sharded in L1, 1x1 tiles of 3x4 on each of 6 cores from (0,0); "
        "schedule multicast_2d needs block-sharded in L1, 1x2 tiles of 3x4 on each of 6 cores "
        "from (0,0)");
}

TEST(MatmulErrors, NamesATensorInOtherMemory) {
    SpoilableTensors test;
    test.in1.buffer.type = BufferType::L1;
    EXPECT_EQ(test.message(),
              "matmul: in1 is interleaved in L1; schedule multicast_2d needs interleaved in DRAM");
}

}  // namespace
}  // namespace tessera::ops::matmul
