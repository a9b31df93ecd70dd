// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;
using ::testing::ElementsAre;
using ::testing::Pair;

// Cycles: reserve 7, push 6, wait 9, pop 4.
TEST(CircularBuffers, AConsumerWaitsForThePushThatBringsItsPages) {
    TraceBuilder builder;
    builder.core({0, 0}, {2})
        .reader({cb(CbReserve, 0, 1), cb(CbPush, 0, 1), cb(CbReserve, 0, 1), cb(CbPush, 0, 1)})
        .writer({cb(CbWait, 0, 2), cb(CbPop, 0, 2)});

    const LaunchTimeline timeline = builder.run();

    // Pages arrive at 13 and 26; then 9 + 4 for the consumer.
    EXPECT_EQ(timeline.makespan, (26 + 9 + 4) * kCycle);
    EXPECT_EQ(cycles_of(timeline, 1, Activity::WaitCbData), 26);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::Finished), 13);
    const Interval& wait = timeline.threads[1].intervals.at(0);
    EXPECT_EQ(wait.activity, Activity::WaitCbData);
    EXPECT_EQ(wait.object, 0U);
    const WaitCause& cause = timeline.causes.at(wait.cause);
    EXPECT_EQ(cause.thread, 0U);
    EXPECT_EQ(timeline.threads[0].sites.at(cause.site).line, 4U) << "the second push";
    EXPECT_EQ(cause.time, 26 * kCycle);
}

TEST(CircularBuffers, AProducerWaitsForThePopThatMakesRoom) {
    TraceBuilder builder;
    builder.core({0, 0}, {1})
        .reader({cb(CbReserve, 0, 1), cb(CbPush, 0, 1), cb(CbReserve, 0, 1), cb(CbPush, 0, 1)})
        .writer({cb(CbWait, 0, 1), event(NocSetState, 0, 10), cb(CbPop, 0, 1)});

    const LaunchTimeline timeline = builder.run();

    // The page arrives at 13 and is popped at 13 + 9 + 180 + 4; then reserve and push.
    EXPECT_EQ(timeline.makespan, (206 + 7 + 6) * kCycle);
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitCbSpace), 206 - 13);
}

TEST(CircularBuffers, NobodyWaitsWhoComesLate) {
    TraceBuilder builder;
    builder.core({0, 0}, {4})
        .reader({cb(CbReserve, 0, 4), cb(CbPush, 0, 4)})
        .writer({event(NocSetState, 0, 10), cb(CbWait, 0, 4)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(timeline.makespan, (180 + 9) * kCycle);
    EXPECT_EQ(cycles_of(timeline, 1, Activity::WaitCbData), 0);
}

// Neither pops: a table that the reader fetches once and both others look up.
TEST(CircularBuffers, TwoKernelsMayWaitForThePagesOfOne) {
    TraceBuilder builder;
    builder.core({0, 0}, {1})
        .reader({event(NocSetState, 0, 10), cb(CbReserve, 0, 1), cb(CbPush, 0, 1)})
        .writer({cb(CbWait, 0, 1)})
        .compute({cb(CbWait, 0, 1)});

    // The page arrives at 180 + 7 + 6; then 9 for the writer.
    EXPECT_EQ(builder.run().makespan, (193 + 9) * kCycle);
}

TEST(CircularBuffers, ARunOfCallsIsTheCallsOneByOne) {
    TraceBuilder builder;
    builder.core({0, 0}, {3})
        .reader({cb(CbReserve, 0, 1, 3), cb(CbPush, 0, 1, 3)})
        .writer({cb(CbWait, 0, 2), cb(CbPop, 0, 1, 2)});

    // Reserved at 21, pushed at 27, 33, 39; the consumer continues at 33.
    EXPECT_EQ(builder.run().makespan, (33 + 9 + 8) * kCycle);
}

TEST(CircularBuffers, LevelsAreKeptIfAskedFor) {
    TraceBuilder builder;
    builder.core({0, 0}, {2})
        .reader({cb(CbReserve, 0, 2), cb(CbPush, 0, 2)})
        .writer({cb(CbWait, 0, 1), cb(CbPop, 0, 1)});

    const LaunchTimeline timeline = builder.run({.keeps_cb_levels = true});

    ASSERT_EQ(timeline.cb_levels.size(), 1U);
    EXPECT_THAT(timeline.cb_levels[0].pages,
                ElementsAre(Pair(13 * kCycle, 2), Pair((13 + 9 + 4) * kCycle, 1)));
    EXPECT_TRUE(builder.run().cb_levels.empty());
}

TEST(CircularBuffers, OfACoreMustBeInItsTrace) {
    TraceBuilder builder;
    builder.core({1, 0}, {2}).reader({cb(CbReserve, 1, 1)});

    try {
        (void)builder.run();
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "trace: core (1,0) of device 0 uses CB 1, which it has not");
    }
}

}  // namespace
}  // namespace tessera::timing
