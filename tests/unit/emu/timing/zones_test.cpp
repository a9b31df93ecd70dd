// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

TraceEvent zone(EventKind kind, std::uint64_t name = 4) {
    return event(kind, 0, 0, name);
}

TEST(Zones, SpanWhatLiesBetweenTheirMarks) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({event(NocSetState), zone(ZoneBegin), event(NocSetState, 0, 2),
                                 zone(ZoneEnd), event(NocSetState)});

    const LaunchTimeline timeline = builder.run();

    ASSERT_EQ(timeline.zones.size(), 1U);
    EXPECT_EQ(timeline.zones[0].thread, 0U);
    EXPECT_EQ(timeline.zones[0].name, 4U);
    EXPECT_EQ(timeline.zones[0].begin, 18 * kCycle);
    EXPECT_EQ(timeline.zones[0].end, 54 * kCycle);
}

TEST(Zones, OfAComputeKernelAreThoseOfItsThreeThreads) {
    TraceBuilder builder;
    builder.core({0, 0}).compute({zone(ZoneBegin), event(Sfpu, 0, 1, 2), zone(ZoneEnd)});

    const LaunchTimeline timeline = builder.run();

    ASSERT_EQ(timeline.zones.size(), 3U);
    EXPECT_EQ(timeline.zones[0].end, 0);
    EXPECT_EQ(timeline.zones[1].end, 1010 * kCycle);
    EXPECT_EQ(timeline.zones[2].end, 0);
}

TEST(Zones, EndInTheOrderOfTheirBeginnings) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({zone(ZoneBegin, 4), zone(ZoneEnd, 1)});

    try {
        (void)builder.run();
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_STREQ(
            error.what(),
            "trace: zone 'kernel.cpp' ends at event 1, but is not the zone that began last");
    }
}

}  // namespace
}  // namespace tessera::timing
