// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;
constexpr std::size_t kUnpack = 0;
constexpr std::size_t kMath = 1;

TraceEvent matmul(std::uint32_t count, MathFidelity fidelity, std::uint8_t ct = 1,
                  std::uint8_t rt = 1, DataFormat a = DataFormat::Float16_b,
                  DataFormat b = DataFormat::Float16_b) {
    return compute(ct * rt == 1 ? MatmulTiles : MatmulBlock, count, 0,
                   {.srca = a, .srcb = b, .fidelity = fidelity, .ct = ct, .rt = rt});
}

// A pair of bfloat16 tiles takes 2 + 30 + 30 = 62 to unpack. A product takes 1 + 16 per phase, and
// 2 more if it has several phases. A call of matmul_tiles starts with 3.
TEST(MatrixUnit, UnpackFillsOneSetWhileMathWorksOffTheOther) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({matmul(10, MathFidelity::LoFi)});

    const LaunchTimeline timeline = builder.run();

    // Unpack bounds the time and hides the starts; the last product remains for math.
    EXPECT_EQ(timeline.makespan, (10 * 62 + 17) * kCycle);
    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::Unpack), 620);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::Matmul), 200);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::WaitSource), 620 + 17 - 200);
}

TEST(MatrixUnit, MathBoundsWhereItTakesLonger) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({matmul(10, MathFidelity::HiFi4)});

    const LaunchTimeline timeline = builder.run();

    // 70 per product, the first start before the first pair; unpack runs ahead by two sets.
    EXPECT_EQ(timeline.makespan, (62 + 10 * 70 - 3) * kCycle);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::WaitSource), 59);
}

TEST(MatrixUnit, WithOnePairInSourceUnpackAndMathTakeTurns) {
    TraceBuilder builder;
    builder.timing.compute.matmul_tiles_in_source = 1;
    builder.core({0, 0}).compute({matmul(10, MathFidelity::HiFi2)});

    EXPECT_EQ(builder.run().makespan, 10 * (62 + 35) * kCycle);
}

// One multiplier step takes 8 rows of in0 and one face of in1; whole tiles take 16 steps. A product
// takes 1 and 16 per phase, and 2 after the last of several phases.
TEST(MatrixUnit, StepsOfAProductAreThoseOfItsTiles) {
    const auto product_of = [](Tile in0, Tile in1) {
        TraceBuilder builder;
        builder.core({0, 0}).compute({compute(MatmulBlock, 1, 0,
                                              {.srca = DataFormat::Float16_b,
                                               .srcb = DataFormat::Float16_b,
                                               .fidelity = MathFidelity::HiFi4,
                                               .srca_tile = in1,
                                               .srcb_tile = in0})});
        return cycles_of(builder.run(), kMath, Activity::Matmul) - 5;  // the call's start
    };

    EXPECT_EQ(product_of({}, {}), 3 + 4 * 16);
    EXPECT_EQ(product_of(Tile({16, 32}), {}), 3 + 4 * 8);
    EXPECT_EQ(product_of(Tile({8, 32}), {}), 3 + 4 * 4);
    EXPECT_EQ(product_of(Tile({1, 32}), {}), 3 + 4 * 4);
    EXPECT_EQ(product_of({}, Tile({32, 16})), 3 + 4 * 8);
    EXPECT_EQ(product_of(Tile({32, 16}), Tile({16, 32})), 3 + 4 * 8);
    EXPECT_EQ(product_of(Tile({16, 32}), Tile({32, 16})), 3 + 4 * 4);
}

TEST(MatrixUnit, UnpackTakesTheElementsOfATile) {
    TraceBuilder builder;
    builder.core({0, 0}).compute(
        {compute(Copy, 1, 0, {.srca = DataFormat::Float16_b, .srca_tile = Tile({8, 32})})});

    // 2 to start and a quarter of 30. Math copies both faces of four rows, 8 of 16, after its start
    // of 3.
    EXPECT_EQ(builder.run().makespan, (2 + 7.5 + 8) * kCycle);
}

// A pack starts with 5; whole bf16 tiles take 32 cycles.
TEST(MatrixUnit, PackersTakeAFaceEach) {
    const auto pack_of = [](std::uint32_t packers, Tile tile) {
        TraceBuilder builder;
        builder.timing.compute.packers = packers;
        builder.core({0, 0}).compute(
            {compute(Pack, 1, 0, {.out = DataFormat::Float16_b, .out_tile = tile})});
        return builder.run().makespan;
    };

    EXPECT_EQ(pack_of(4, {}), 37 * kCycle);
    EXPECT_EQ(pack_of(4, Tile({16, 32})), 37 * kCycle);
    EXPECT_EQ(pack_of(4, Tile({8, 32})), 21 * kCycle);
    EXPECT_EQ(pack_of(1, Tile({16, 32})), 21 * kCycle);
}

TEST(MatrixUnit, BlocksThatFollowOnOneAnotherPayForTheirRunOnce) {
    TraceBuilder builder;
    builder.timing.compute.unpack_run = Cycles{40};
    builder.core({0, 0}).compute({matmul(5, MathFidelity::LoFi, 2)});

    // Each step takes a pair of 62 and one more tile of in1, 2 + 30 + 13.
    EXPECT_EQ(cycles_of(builder.run(), kUnpack, Activity::Unpack), 40 + 5 * (62 + 45));
}

TEST(MatrixUnit, ABlockUnpacksTheOperandOfItsShorterSideOnceARound) {
    TraceBuilder builder;
    // 4 rows by 2 columns: two rounds of a pair and three single tiles of in0 (SrcB).
    builder.core({0, 0}).compute(
        {matmul(1, MathFidelity::LoFi, 2, 4, DataFormat::Float16_b, DataFormat::Bfp8_b)});

    const LaunchTimeline timeline = builder.run();

    // Pair 2 + 30 + 16 = 48, single 2 + 16 = 18; math 5 and 17 per product.
    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::Unpack), 2 * (48 + 3 * 18));
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::Matmul), 8 * 17 + 5);
    EXPECT_EQ(timeline.makespan, (2 * (48 + 3 * 18) + 17) * kCycle);
}

TEST(MatrixUnit, TwoUnpackersSideBySideTakeTheLongerTime) {
    TraceBuilder builder;
    builder.timing.compute.unpack_pair_share = 0;
    builder.core({0, 0}).compute({matmul(1, MathFidelity::LoFi)});

    EXPECT_EQ(builder.run().makespan, (32 + 17) * kCycle);
}

TEST(MatrixUnit, TilesOfIn1ThatFollowOthersTakeLonger) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({matmul(1, MathFidelity::LoFi, 4, 2)});

    // Two rounds of a pair and three tiles of in1 (SrcA): 62 + 3 · (32 + 13).
    EXPECT_EQ(cycles_of(builder.run(), kUnpack, Activity::Unpack), 2 * (62 + 3 * 45));
}

TEST(MatrixUnit, EltwiseGoesByPhases) {
    const auto product = [](MathFidelity fidelity) {
        return compute(
            EltwiseBinary, 1, EltwiseDetail::kMultiply,
            {.srca = DataFormat::Float16_b, .srcb = DataFormat::Float16_b, .fidelity = fidelity});
    };
    TraceBuilder builder;
    builder.core({0, 0}).compute(
        {product(MathFidelity::LoFi), product(MathFidelity::HiFi4), compute(EltwiseBinary)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::Unpack), 3 * 62);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::Eltwise),
              (3 + 20) + (3 + 2 * 20 + 2 * 24) + (3 + 17));
}

TEST(MatrixUnit, AnOperandInDstIsNotUnpacked) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({compute(EltwiseBinary, 1, EltwiseDetail::kDestReuse),
                                  compute(EltwiseBinary, 2, EltwiseDetail::kFromDst)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::Unpack), 32);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::Eltwise), 3 * (3 + 16 + 17));
}

TEST(MatrixUnit, MovesOfATileGoByKind) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({compute(Copy), compute(Transpose), compute(Tilize),
                                  compute(Untilize),
                                  compute(Tilize, 1, 0, {.srca = DataFormat::Float32})});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::Unpack), 32 + 32 + 38 + 390 + 74);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::Eltwise), 4 * (3 + 16) + (3 + 33));
}

TEST(MatrixUnit, UnpackMayBeAheadByTwoSetsAndNoMore) {
    TraceBuilder builder;
    // Math is busy for 1010; unpack fills two sets and pops its CB late.
    builder.core({0, 0}, {4})
        .compute({event(Sfpu, 0, 1, 2), matmul(3, MathFidelity::LoFi), cb(CbPop, 0, 1)});
    builder.trace.launches[0].cores[0].cbs[0].pages = 4;

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::WaitSource), 1010 + 3 + 17 - 2 * 62);
    EXPECT_EQ(timeline.makespan, (1010 + 3 + 17 + 62 + 17) * kCycle);
}

// A start of 3; rows 19 per phase, columns 20, 20, 24, 24 as products, a scalar 13 and 29 per
// phase.
TEST(MatrixUnit, ReducesGoByWhatIsLeftOfTheTile) {
    const auto math_of = [](std::uint8_t detail) {
        TraceBuilder builder;
        builder.core({0, 0}).compute({compute(Reduce, 1, detail,
                                              {.srca = DataFormat::Float16_b,
                                               .srcb = DataFormat::Float16_b,
                                               .fidelity = MathFidelity::HiFi4})});
        return cycles_of(builder.run(), kMath, Activity::Eltwise);
    };

    EXPECT_EQ(math_of(ReduceDetail::kRow), 3 + 4 * 19);
    EXPECT_EQ(math_of(ReduceDetail::kColumn), 3 + 20 + 20 + 24 + 24);
    EXPECT_EQ(math_of(ReduceDetail::kScalar), 3 + 13 + 4 * 29);
}

TEST(MatrixUnit, LargestElementsAreFoundInOnePhase) {
    const auto math_of = [](std::uint8_t dim) {
        TraceBuilder builder;
        builder.core({0, 0}).compute(
            {compute(Reduce, 1, static_cast<std::uint8_t>(dim | ReduceDetail::kLargest),
                     {.srca = DataFormat::Float16_b,
                      .srcb = DataFormat::Float16_b,
                      .fidelity = MathFidelity::HiFi4})});
        return cycles_of(builder.run(), kMath, Activity::Eltwise);
    };

    EXPECT_EQ(math_of(ReduceDetail::kRow), 3 + 80);
    EXPECT_EQ(math_of(ReduceDetail::kColumn), 3 + 20);
    EXPECT_EQ(math_of(ReduceDetail::kScalar), 3 + 13 + 29);
}

// A bfloat16 tile takes 2 + 30, two 2 + 30 + 30.
TEST(MatrixUnit, CallsThatUnpackTakeTheLongerOfInstructionsAndBytes) {
    const auto unpack_of = [](EventKind kind, std::uint8_t detail) {
        TraceBuilder builder;
        builder.timing.compute.unpack_call = Cycles{45};
        builder.timing.compute.unpack_block_call = Cycles{36};
        builder.timing.compute.unpack_pair_call = Cycles{61};
        builder.core({0, 0}).compute({compute(kind, 1, detail)});
        return cycles_of(builder.run(), kUnpack, Activity::Unpack);
    };

    EXPECT_EQ(unpack_of(Copy, 0), 45);
    EXPECT_EQ(unpack_of(Copy, CopyDetail::kInBlock), 36);
    EXPECT_EQ(unpack_of(EltwiseBinary, 0), 62);
    EXPECT_EQ(unpack_of(EltwiseBinary, EltwiseDetail::kDestReuse), 45);
    EXPECT_EQ(unpack_of(Reduce, 0), 62);
}

}  // namespace
}  // namespace tessera::timing
