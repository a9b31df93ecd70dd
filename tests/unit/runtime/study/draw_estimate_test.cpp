// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/draw_estimate.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timed_run {
namespace {

using timing::event;
using timing::TraceBuilder;

double factor_of(const TraceBuilder& builder, const TimingSpec& draw) {
    const std::vector<TimingSpec> draws{draw};
    DrawEstimate estimate(builder.arch, builder.timing, draws);
    estimate.price(builder.trace);
    return estimate
        .factors(builder.trace.launches[0], builder.run({.keeps = timing::Keep::CriticalPath}))
        .at(0);
}

// 4 × (10 + 1000) cycles of `exp` and nothing else: with 1500 cycles a tile, 4 × 1510.
TEST(DrawEstimate, ChangesBusyTimeAsThePricesOfTheThreadOnThePath) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({event(EventKind::Sfpu, 0, 4, 2)});
    TimingSpec draw = builder.timing;
    draw.sfpu.functions[0].second = Cycles{1500};

    EXPECT_DOUBLE_EQ(factor_of(builder, draw), 1510.0 / 1010);
}

TEST(DrawEstimate, IgnoresConstantsOfWorkThatIsNotOnThePath) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({event(EventKind::Sfpu, 0, 4, 2)});
    TimingSpec draw = builder.timing;
    draw.sfpu.functions[1].second = Cycles{900};  // exp_approx
    draw.compute.matmul_phase = Cycles{32};
    draw.dram.read_latency = Cycles{2000};

    EXPECT_DOUBLE_EQ(factor_of(builder, draw), 1);
}

// The path is the compute kernel's: 4 × 1010 cycles. With 180 cycles for each of 50 commands that
// it latches the reader takes longer.
TEST(DrawEstimate, IsNotShorterThanTheWorkOfAThreadBesideThePath) {
    TraceBuilder builder;
    builder.core({0, 0})
        .reader({event(EventKind::NocSetState, 0, 50)})
        .compute({event(EventKind::Sfpu, 0, 4, 2)});
    TimingSpec draw = builder.timing;
    draw.risc.set_state = Cycles{180};

    EXPECT_DOUBLE_EQ(factor_of(builder, draw), 50 * 180.0 / (4 * 1010));
}

// The reader latches 50 commands, 18 cycles each, and returns. The firmware takes 100 cycles; with
// the mean delay of a spread of 40 cycles it takes 120.
TEST(DrawEstimate, CountsHalfOfTheRandomDelayOfCores) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({event(EventKind::NocSetState, 0, 50)});
    builder.timing.dispatch.kernel_start = Cycles{100};
    TimingSpec draw = builder.timing;
    draw.dispatch.start_spread = Cycles{40};

    EXPECT_DOUBLE_EQ(factor_of(builder, draw), (900.0 + 120) / (900 + 100));
}

TEST(DrawEstimate, IsOneForALaunchWithoutTime) {
    TraceBuilder builder;
    builder.core({0, 0});

    EXPECT_DOUBLE_EQ(factor_of(builder, builder.timing), 1);
}

}  // namespace
}  // namespace tessera::timed_run
