// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/launch_cost.hpp"

#include <gtest/gtest.h>

namespace tessera::timing {
namespace {

constexpr Millicycles kNanosecond = kMillicyclesPerCycle;  // at 1 GHz

TimingSpec make_timing() {
    TimingSpec timing{.clock = Hertz{1e9}};
    timing.dispatch = {.per_program = Seconds{1000e-9},
                       .per_configuration = Seconds{200e-9},
                       .per_kernel_group = Seconds{50e-9},
                       .per_binary = Seconds{10e-9},
                       .per_binary_byte = Seconds{0.5e-9},
                       .per_core = Seconds{2e-9},
                       .per_core_with_arguments = Seconds{20e-9},
                       .per_argument_word = Seconds{3e-9},
                       .per_common_word = Seconds{5e-9},
                       .per_cb = Seconds{7e-9}};
    return timing;
}

/// Device 1 runs all three kernels on a core, five binaries.
LaunchTrace make_launch() {
    LaunchTrace launch;
    launch.cores.push_back({.device = 1,
                            .threads = {{.processor = Processor::Riscv0},
                                        {.processor = Processor::Riscv1},
                                        {.processor = Processor::Compute}}});
    return launch;
}

TEST(LaunchCost, OfAnEmptyProgramIsThatOfItsBinariesAndCores) {
    const DispatchTrace program{.device = 1, .kernels = 1, .cores = 4, .binary_bytes = 100};

    EXPECT_EQ(LaunchCost(make_timing()).of_dispatch(program, make_launch()),
              (1000 + 5 * 10 + 50 + 4 * 2) * kNanosecond);
}

TEST(LaunchCost, BytesCountForOneKernelGroupBinariesForAll) {
    const DispatchTrace program{.device = 1, .kernels = 2, .cores = 4, .binary_bytes = 200};

    EXPECT_EQ(LaunchCost(make_timing()).of_dispatch(program, make_launch()),
              (1000 + 50 + 2 * 5 * 10 + 50 + 4 * 2) * kNanosecond);
}

TEST(LaunchCost, ArgumentsCostByWordAndOwnOnesByCoreToo) {
    const LaunchCost cost(make_timing());
    const LaunchTrace launch = make_launch();
    const Millicycles plain = cost.of_dispatch({.device = 1, .kernels = 1, .cores = 4}, launch);

    EXPECT_EQ(cost.of_dispatch({.device = 1, .kernels = 1, .cores = 4, .common_args = 2}, launch),
              plain + (200 + 2 * 5) * kNanosecond);
    EXPECT_EQ(cost.of_dispatch({.device = 1, .kernels = 1, .cores = 4, .unique_args = 8}, launch),
              plain + (200 + 4 * 20 + 8 * 3) * kNanosecond);
    EXPECT_EQ(cost.of_dispatch({.device = 1, .kernels = 1, .cores = 4, .cbs = 3}, launch),
              plain + (200 + 3 * 7) * kNanosecond);
}

}  // namespace
}  // namespace tessera::timing
