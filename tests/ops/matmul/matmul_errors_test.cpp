// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/matmul/matmul_cases.hpp"
#include "tests/ops/matmul/matmul_run.hpp"

namespace tessera::ops::matmul {
namespace {

/// 3 × 8 × 8 tiles on 4×3 cores. A test spoils one of them.
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
    EXPECT_EQ(test.message(), "matmul: M 96, K 256, N 0; allowed: at least 1 each");
}

TEST(MatmulErrors, NamesLengthsOfZero) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(), "matmul: cb_depth is 0; allowed: at least 1");
}

TEST(MatmulErrors, NamesAKBlockThatDoesNotDivideK) {
    Spoilable test;
    test.schedule.in0_block_w = 3;
    EXPECT_EQ(test.message(),
              "matmul: in0_block_w is 3; allowed: a divisor of K, which is 8 tiles");
}

TEST(MatmulErrors, NamesASubblockLargerThanHalfOfDst) {
    Spoilable test;
    test.schedule.out_subblock = {3, 3};
    EXPECT_EQ(
        test.message(),
        "matmul: out_subblock has 9 tiles; half of DST holds 1 to 8 with fp32_dest_acc false");
    test.schedule.out_subblock = {1, 5};
    test.schedule.fp32_dest_acc = true;
    EXPECT_EQ(test.message(),
              "matmul: out_subblock has 5 tiles; half of DST holds 1 to 4 with fp32_dest_acc true");
}

TEST(MatmulErrors, NamesAnOutBlockThatDoesNotDividePerCore) {
    Spoilable test;
    test.schedule.per_core_n = 6;
    test.schedule.out_block_w = 4;
    EXPECT_EQ(test.message(),
              "matmul: out_block_w is 4; allowed: a divisor of per_core_n, which is 6");
}

TEST(MatmulErrors, NamesASubblockThatDoesNotDivideTheOutBlock) {
    Spoilable test;
    test.schedule.per_core_m = 3;
    test.schedule.out_subblock = {2, 1};
    EXPECT_EQ(test.message(),
              "matmul: out_subblock has a height of 2 tiles; allowed: a divisor of out_block_h, "
              "which is 3");
}

TEST(MatmulErrors, NamesBlocksThatNeedMoreCores) {
    Spoilable test;
    test.schedule.grid = {3, 2};
    test.schedule.per_core_m = 1;
    EXPECT_EQ(test.message(), "matmul: grid has 2 cores for M; its 3 tiles need 3 at per_core_m 1");
    test.schedule.schedule = kLine;
    test.shape.m = 224;
    EXPECT_EQ(test.message(), "matmul: grid has 6 cores for M; its 7 tiles need 7 at per_core_m 1");
}

TEST(MatmulErrors, NamesAGridLargerThanTheDevice) {
    Spoilable test;
    test.schedule.grid = {5, 3};
    EXPECT_EQ(test.message(),
              "matmul: grid [5, 3] is not part of the test_arch's grid; allowed: [0, 0], which is "
              "all of it, or [1, 1] to [4, 3]");
}

TEST(MatmulErrors, NamesAPlacementThatTheScheduleDoesNotHave) {
    Spoilable test;
    test.schedule.in0 = kHeights;
    EXPECT_EQ(test.message(),
              "matmul: in0.placement is height-sharded in L1; allowed under this schedule: "
              "interleaved or block-sharded in L1");
    test.schedule.in0 = kDram;
    test.schedule.in1 = kBlocks;
    EXPECT_EQ(
        test.message(),
        "matmul: in1.placement is block-sharded in L1; allowed under this schedule: interleaved");
    test.schedule.in1 = kDram;
    test.schedule.out = kHeights;
    test.schedule.schedule = kLine;
    test.schedule.multicast_operand = MulticastOperand::In0;
    EXPECT_EQ(test.message(),
              "matmul: out.placement is height-sharded in L1; allowed under this schedule: "
              "interleaved");
}

/// Returns the op's refusal of a schedule with tensors in DRAM.
std::string refusal_of(const MatmulSpec& schedule) {
    const auto tiles = [](Shape shape) {
        return DeviceTensor{{std::move(shape), DataFormat::Float16_b, Layout::TILE}, {}};
    };
    const DeviceTensor in0 = tiles({96, 256});
    const DeviceTensor in1 = tiles({256, 256});
    const DeviceTensor product = tiles({96, 256});
    const DeviceTensor* const in[]{&in0, &in1};
    const DeviceTensor* const out[]{&product};
    return usage_error_message(
        [&] { check_call(op(), testing::make_arch(4, 3), &schedule, in, out); });
}

TEST(MatmulErrors, NamesKeysThatAScheduleDoesNotTake) {
    EXPECT_EQ(refusal_of({.schedule = kMulti}), "(nothing thrown)");
    EXPECT_EQ(
        refusal_of({.schedule = kGrid, .multicast_operand = MulticastOperand::In0}),
        "matmul: multicast_operand is in0, but multicast_2d does not use it; allowed: in1, its "
        "default");
    EXPECT_EQ(refusal_of({.schedule = kMulti, .in0_block_w = 2}),
              "matmul: in0_block_w is 2, but multi_core does not use it; allowed: 1, its default");
}

TEST(MatmulErrors, NamesBlocksThatWouldLeaveAShardOutOfOrder) {
    Spoilable test;
    test.shape = {192, 256, 512};
    test.schedule.out = kBlocks;
    test.schedule.out_block_w = 2;
    test.schedule.per_core_n = 4;
    EXPECT_EQ(test.message(),
              "matmul: out_block_w is 2; allowed with out in shards: per_core_n, which is 4, or "
              "any if out_block_h, which is 2, is 1");
    test.schedule.out_block_w = 0;
    test.schedule.out_subblock = {2, 2};
    EXPECT_EQ(test.message(),
              "matmul: out_subblock is 2x2; allowed with out in shards: as wide as out_block_w, "
              "which is 4, or one row high");
}

// 1499136 - 103712 B of L1; 16-bit tiles of 2048 B.
TEST(MatmulErrors, NamesEveryPartOfWhatL1DoesNotHold) {
    Spoilable test;
    test.shape = {96, 2048, 4096};
    test.schedule.in0_block_w = 16;
    test.schedule.in0 = kBlocks;
    EXPECT_EQ(
        test.message(),
        "matmul: schedule takes 2260992 B of a core's L1; test_arch has 1395424 B for buffers: "
        "in0 65536 B, in1 2097152 B, out 65536 B, tensor in0 32768 B");
}

TEST(MatmulErrors, NamesTheBuffersOfSingleTilesThatL1DoesNotHold) {
    Spoilable test;
    test.schedule.schedule = kMulti;
    test.schedule.cb_depth = 300;
    EXPECT_EQ(
        test.message(),
        "matmul: schedule takes 1843200 B of a core's L1; test_arch has 1395424 B for buffers: "
        "in0 614400 B, in1 614400 B, out 614400 B");
}

/// Tensors as the schedule requires them; a test spoils one.
struct SpoilableTensors {
    MatmulSpec schedule{.schedule = kGrid, .grid = {}, .in0 = kBlocks};
    MatmulDevice device{testing::make_arch(4, 3)};
    OperandLayouts layouts = operand_layouts(testing::make_arch(4, 3), {96, 128, 160}, schedule);
    DeviceTensor in0 = device.allocate("in0", layouts.in0);
    DeviceTensor in1 = device.allocate("in1", layouts.in1);
    DeviceTensor out = device.allocate("out", layouts.out);

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)call_program(op(), testing::make_arch(4, 3), &schedule, {in0, in1}, {out});
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
              "matmul: in1 is (96,160) bfloat16 TILE; allowed: (128,N) bfloat16 | bfp8_b | "
              "bfp4_b | float32 TILE");
}

TEST(MatmulErrors, NamesAnOutputOfAnotherShapeOrFormat) {
    SpoilableTensors test;
    test.out.spec.shape = {96, 128};
    EXPECT_EQ(test.message(),
              "matmul: out is (96,128) bfloat16 TILE; allowed: (96,160) bfloat16 | bfp8_b | "
              "bfp4_b | float32 TILE");
    test.out.spec.shape = {96, 160};
    test.out.spec.format = DataFormat::Float32;
    EXPECT_EQ(test.message(), "matmul: out is float32; allowed: bfloat16, as out.format states");
}

TEST(MatmulErrors, NamesATensorInOtherShards) {
    SpoilableTensors test;
    test.in0.buffer.shard->shard_shape = {1, 1};
    EXPECT_EQ(test.message(),
              "matmul: in0 is not placed as in0.placement states: l1_block_sharded in shards of "
              "1x2 tiles");
}

TEST(MatmulErrors, NamesATensorInOtherMemory) {
    SpoilableTensors test;
    test.in1.buffer.type = BufferType::L1;
    EXPECT_EQ(test.message(),
              "matmul: in1 is not placed as in1.placement states: dram_interleaved");
}

}  // namespace
}  // namespace tessera::ops::matmul
