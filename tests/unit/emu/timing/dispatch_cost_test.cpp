// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/dispatch_cost.hpp"

#include <gtest/gtest.h>

namespace tessera::timing {
namespace {

constexpr Millicycles kCycle = kMillicyclesPerCycle;

TimingSpec make_timing() {
    TimingSpec timing;
    timing.noc.multicast_rate = BytesPerCycle{32};
    timing.noc.write_rate = BytesPerCycle{32};
    timing.dispatch = {.prefetch_program = Cycles{1000},
                       .prefetch_binary = Cycles{10},
                       .prefetch_configuration = Cycles{100},
                       .stream_rate = BytesPerCycle{16},
                       .write_program = Cycles{2000},
                       .write_binary = Cycles{20},
                       .write_multicast = Cycles{300},
                       .write_group = Cycles{400},
                       .write_hop = Cycles{3},
                       .write_core = Cycles{25},
                       .write_arguments = Cycles{70}};
    return timing;
}

CoreTrace make_core(CoreCoord at) {
    return {.device = 1,
            .core = at,
            .threads = {{.processor = Processor::Riscv0}, {.processor = Processor::Compute}}};
}

/// Device 1 runs a data-movement and a compute kernel, four binaries, on 3 × 2 cores. Device 0 runs
/// something else.
LaunchTrace make_launch() {
    LaunchTrace launch;
    launch.cores.push_back({.device = 0, .core = {7, 7}});
    for (std::uint32_t y = 0; y < 2; ++y) {
        for (std::uint32_t x = 0; x < 3; ++x) {
            launch.cores.push_back(make_core({x, y}));
        }
    }
    return launch;
}

DispatchTrace make_program() {
    return {.device = 1, .kernels = 1, .cores = 6};
}

TEST(DispatchCost, OfAnEmptyProgramIsOfBinariesBytesAndHops) {
    DispatchTrace program = make_program();
    program.binary_bytes = 320;

    const DispatchWork work = DispatchCost(make_timing()).of(program, make_launch());

    EXPECT_EQ(work.prefetch, (1000 + 4 * 10 + 320 / 16) * kCycle);
    // Three multicasts across 2 + 1 hops.
    EXPECT_EQ(work.dispatch, (2000 + 4 * 20 + 3 * 3 * 3 + 320 / 32) * kCycle);
    EXPECT_EQ(work.config_bytes, 320U);
}

TEST(DispatchCost, KernelGroupsHaveBinariesAndTwoMulticastsEach) {
    DispatchTrace program = make_program();
    program.kernels = 3;
    program.binary_bytes = 960;

    const DispatchWork work = DispatchCost(make_timing()).of(program, make_launch());

    EXPECT_EQ(work.prefetch, (1000 + 12 * 10 + 960 / 16) * kCycle);
    EXPECT_EQ(work.dispatch, (2000 + 12 * 20 + 2 * (300 + 400) + 27 + 960 / 32) * kCycle);
    EXPECT_EQ(work.config_bytes, 320U);  // per core
}

TEST(DispatchCost, SharedConfigurationIsOneMulticast) {
    DispatchTrace program = make_program();
    program.semaphores = 2;
    program.common_args = 24;

    const DispatchWork work = DispatchCost(make_timing()).of(program, make_launch());

    // 2 × 16 B and 24 × 4 B.
    EXPECT_EQ(work.prefetch, (1040 + 100 + 128 / 16) * kCycle);
    EXPECT_EQ(work.dispatch, (2080 + 300 + 4 * 3 * 3 + 128 / 32) * kCycle);
    EXPECT_EQ(work.config_bytes, 128U);
}

TEST(DispatchCost, CoresWithOtherCbsAreAnotherMulticast) {
    LaunchTrace launch = make_launch();
    for (CoreTrace& core : launch.cores) {
        core.cbs = {{.index = 0, .pages = core.core.x == 2 ? 5U : 4U, .page_bytes = 16}};
    }
    DispatchTrace program = make_program();
    program.cbs = 1;

    const DispatchWork work = DispatchCost(make_timing()).of(program, launch);

    EXPECT_EQ(work.prefetch, (1040 + 100 + 32 / 16) * kCycle);
    EXPECT_EQ(work.dispatch, (2080 + 300 + 400 + 4 * 3 * 3 + 32 / 32) * kCycle);
}

TEST(DispatchCost, ACoresOwnArgumentsTakeAWriteOrTheirBytes) {
    const DispatchCost cost(make_timing());
    DispatchTrace program = make_program();

    program.unique_args = 6 * 8;  // 32 B per core
    const DispatchWork few = cost.of(program, make_launch());
    EXPECT_EQ(few.prefetch, (1040 + 100 + 6 * 32 / 16) * kCycle);
    EXPECT_EQ(few.dispatch, (2080 + 27 + 6 * 25) * kCycle);

    program.unique_args = 6 * 240;  // 960 B, which take 30 cycles on the NoC
    const DispatchWork many = cost.of(program, make_launch());
    EXPECT_EQ(many.dispatch, (2080 + 27 + 6 * 30) * kCycle);
    EXPECT_EQ(many.config_bytes, 960U);
}

TEST(DispatchCost, OwnArgumentsAreACommandToEachKernelGroup) {
    DispatchTrace program = make_program();
    program.kernels = 3;
    program.unique_args = 6 * 8;

    const DispatchWork work = DispatchCost(make_timing()).of(program, make_launch());

    EXPECT_EQ(work.prefetch, (1000 + 12 * 10 + 3 * 100 + 6 * 32 / 16) * kCycle);
    EXPECT_EQ(work.dispatch, (2000 + 12 * 20 + 2 * (300 + 400) + 27 + 6 * 25 + 2 * 70) * kCycle);
}

}  // namespace
}  // namespace tessera::timing
