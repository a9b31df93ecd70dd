// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/busy_times.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

TraceBuilder tiles_from_dram_to_dram() {
    TraceBuilder builder;
    builder.timing.dispatch.launch_latency = Cycles{40};
    builder.timing.dispatch.kernel_start = Cycles{90};
    builder.timing.dispatch.kernel_end = Cycles{30};
    builder.core({0, 0}, {2, 2})
        .reader({cb(CbReserve, 0, 1, 4), read(2048, 4), event(ReadBarrier), cb(CbPush, 0, 1, 4),
                 event(NocSetState, 0, 2)})
        .compute({event(UnitInit), cb(CbWait, 0, 1, 4), event(DstAcquire), compute(MatmulTiles, 3),
                  compute(MatmulBlock, 2), compute(EltwiseBinary, 2), compute(Copy, 2),
                  event(Sfpu, 0, 3, 2), event(DstCommit), cb(CbPop, 0, 1, 4), event(DstWait),
                  cb(CbReserve, 1, 1), compute(Pack, 1), cb(CbPush, 1, 1), event(DstRelease)})
        .writer({cb(CbWait, 1, 1), write(2048), event(WriteBarrier), cb(CbPop, 1, 1),
                 event(LocalWord, 0, 1, 64)});
    return builder;
}

// Times of calls do not depend on when they run, so the sum of prices is the busy time of a replay.
TEST(BusyTimes, AreTheTotalsOfAReplayUnderTheSameConstants) {
    const TraceBuilder builder = tiles_from_dram_to_dram();
    const Costs costs(builder.timing, builder.trace);
    const auto threads = threads_of(builder.trace.launches[0].cores[0]);

    const LaunchTimeline timeline = builder.run();

    ASSERT_EQ(timeline.threads.size(), threads.size());
    for (std::size_t i = 0; i < threads.size(); ++i) {
        const BusyTimes times = busy_times(costs, builder.arch, threads[i]);
        for (std::size_t a = 0; a < kNumActivities; ++a) {
            const auto activity = static_cast<Activity>(a);
            if (is_busy(activity) || activity == Activity::NotStarted) {
                EXPECT_EQ(times[a], timeline.threads[i].totals[a])
                    << name_of(threads[i].role) << ": " << name_of(activity);
            }
        }
    }
}

TEST(BusyTimes, HoldHalfOfTheRandomDelayOfACoresStart) {
    TraceBuilder builder;
    builder.timing.dispatch.start_spread = Cycles{60};
    builder.core({0, 0}).writer({event(WriteBarrier)});
    const Costs costs(builder.timing, builder.trace);

    const BusyTimes times =
        busy_times(costs, builder.arch, threads_of(builder.trace.launches[0].cores[0]).front());

    EXPECT_EQ(times[static_cast<std::size_t>(Activity::Start)], 30 * kCycle);
}

}  // namespace
}  // namespace tessera::timing
