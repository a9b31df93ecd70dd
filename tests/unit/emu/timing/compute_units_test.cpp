// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;
constexpr std::size_t kUnpack = 0;
constexpr std::size_t kMath = 1;
constexpr std::size_t kPack = 2;

TEST(ComputeUnits, PackBeginsWhenMathHasCommitted) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({event(DstAcquire), event(Sfpu, 0, 1, 2), event(DstCommit),
                                  event(DstWait), compute(Pack), event(DstRelease)});

    const LaunchTimeline timeline = builder.run();

    // Math: 11 + (10 + 1000) + 11; pack: 11 + (5 + 32) + 11.
    EXPECT_EQ(timeline.makespan, (1032 + 59) * kCycle);
    EXPECT_EQ(cycles_of(timeline, kPack, Activity::WaitDst), 1032);
    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::Finished), 1091);
}

std::vector<TraceEvent> tiles_through_dst(int count) {
    std::vector<TraceEvent> events;
    for (int i = 0; i < count; ++i) {
        for (const TraceEvent& each :
             {event(DstAcquire), event(Sfpu, SfpuDetail::kApproximate, 1, 2), event(DstCommit),
              event(DstWait), compute(Pack, 4), event(DstRelease)}) {
            events.push_back(each);
        }
    }
    return events;
}

// Math takes 11 + 10 + 90 + 11 = 122 for a half, pack 11 + 4 · 37 + 11 = 170.
TEST(ComputeUnits, MathWorksOnOneHalfWhilePackEmptiesTheOther) {
    TraceBuilder builder;
    builder.core({0, 0}).compute(tiles_through_dst(3));

    // Pack begins at 122 and always has work.
    EXPECT_EQ(builder.run().makespan, (122 + 3 * 170) * kCycle);
}

TEST(ComputeUnits, InFullSyncMathAndPackTakeTurns) {
    TraceBuilder builder;
    builder.core({0, 0}).compute(tiles_through_dst(3));
    builder.trace.launches[0].cores[0].threads[0].compute.dst_full_sync = true;

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(timeline.makespan, 3 * (122 + 170) * kCycle);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::WaitDst), 2 * 170);
}

TEST(ComputeUnits, PackCostsGoByFormatAndMode) {
    const auto pack = [](DataFormat out, std::uint8_t detail) {
        return compute(Pack, 1, detail, {.out = out});
    };
    TraceBuilder builder;
    builder.core({0, 0}).compute(
        {pack(DataFormat::Float32, 0), pack(DataFormat::Bfp8_b, PackDetail::kAccumulates),
         pack(DataFormat::Float16_b, PackDetail::kDst32), compute(PackUntilize)});

    EXPECT_EQ(builder.run().makespan, ((5 + 64) + (5 + 17 + 31) + (5 + 32 + 7) + 57) * kCycle);
}

TEST(ComputeUnits, VectorFunctionsGoByNameModeAndHalf) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({
        event(Sfpu, 0, 2, 2),                         // exp: 10 + 1000 each
        event(Sfpu, SfpuDetail::kApproximate, 1, 2),  // 10 + 90
        event(Sfpu, SfpuDetail::kHalfTile, 1, 2),     // 10 + 500
        event(Sfpu, 0, 1, 3),                         // not listed: 10 + 250
        event(Sfpu, SfpuDetail::kApproximate, 1, 3),
    });

    EXPECT_EQ(builder.run().makespan, (2020 + 100 + 510 + 260 + 260) * kCycle);
}

TEST(ComputeUnits, VectorFunctionsOfADstOf32BitsHaveRowsOfTheirOwn) {
    TraceBuilder builder;
    builder.timing.sfpu.functions.emplace_back("exp_fp32", Cycles{1700});
    builder.core({0, 0}).compute({
        event(Sfpu, SfpuDetail::kDst32, 1, 2),  // 10 + 1700
        event(Sfpu, SfpuDetail::kDst32 | SfpuDetail::kHalfTile, 1, 2),
        event(Sfpu, SfpuDetail::kDst32 | SfpuDetail::kApproximate, 1, 2),  // 10 + 90
        event(Sfpu, SfpuDetail::kDst32, 1, 3),                             // not listed: 10 + 250
    });

    EXPECT_EQ(builder.run().makespan, (1710 + 860 + 100 + 260) * kCycle);
}

// Calls have "_tile" at their end or before a format.
TEST(ComputeUnits, VectorFunctionsOfAFormatGoByTheNameWithoutTile) {
    TraceBuilder builder;
    builder.trace.names = {"", "kernel.cpp", "add_unary_tile_int32", "mul_int32_tile",
                           "tile_tiled"};
    builder.timing.sfpu.functions = {
        {"add_unary_int32", Cycles{140}}, {"mul_int32", Cycles{1280}}, {"tiled", Cycles{70}}};
    builder.core({0, 0}).compute(
        {event(Sfpu, 0, 1, 2), event(Sfpu, 0, 1, 3), event(Sfpu, 0, 1, 4)});

    EXPECT_EQ(builder.run().makespan, ((10 + 140) + (10 + 1280) + (10 + 250)) * kCycle);
}

// One call: 10 to start, and 2 cycles an instruction.
TEST(ComputeUnits, AFunctionOfTwiceAsManyInstructionsTakesTwiceAsLongAfterItsStart) {
    const auto time_of = [](std::uint32_t instructions) {
        TraceBuilder builder;
        builder.core({0, 0}).compute({event(VectorFunction, 0, 1, instructions)});
        return builder.run().makespan;
    };
    constexpr Millicycles kStart = 10 * kCycle;

    EXPECT_EQ(time_of(96) - kStart, 2 * 96 * kCycle);
    EXPECT_EQ(time_of(192) - kStart, 2 * (time_of(96) - kStart));
}

TEST(ComputeUnits, InitsConcernTheUnitsThatTheySetUp) {
    const auto init = [](UnitInitKind kind) {
        return event(UnitInit, static_cast<std::uint8_t>(kind));
    };
    TraceBuilder builder;
    builder.core({0, 0}).compute({init(UnitInitKind::Full), init(UnitInitKind::Operation),
                                  init(UnitInitKind::Sfpu), init(UnitInitKind::ReconfigSource),
                                  init(UnitInitKind::ReconfigPack)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, kUnpack, Activity::UnitInit), 150 + 50 + 25);
    EXPECT_EQ(cycles_of(timeline, kMath, Activity::UnitInit), 70 + 50 + 30 + 25);
    EXPECT_EQ(cycles_of(timeline, kPack, Activity::UnitInit), 160 + 25);
}

TEST(ComputeUnits, CbCallsBelongToUnpackAndPack) {
    TraceBuilder builder;
    builder.core({0, 0}, {2, 2})
        .reader({event(NocSetState, 0, 10), cb(CbPush, 0, 1)})
        .compute({cb(CbWait, 0, 1), cb(CbReserve, 1, 1), cb(CbPush, 1, 1), cb(CbPop, 0, 1)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, 1, Activity::WaitCbData), 186);
    EXPECT_EQ(cycles_of(timeline, 1, Activity::CbCall), 6 + 6);
    EXPECT_EQ(cycles_of(timeline, 2, Activity::CbCall), 0);
    EXPECT_EQ(cycles_of(timeline, 3, Activity::CbCall), 6 + 6);
    EXPECT_EQ(cycles_of(timeline, 3, Activity::Finished), 186 + 12 - 12);
}

}  // namespace
}  // namespace tessera::timing
