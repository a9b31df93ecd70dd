// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;
constexpr std::uint32_t kAddress = 0xA000;

TraceEvent add_to(CoreCoord core, std::uint32_t value, std::uint32_t address = kAddress) {
    return event(SemaphoreAdd, 0, value, WordArgument{address, NocPlace::worker(core), 0}.pack());
}
TraceEvent wait_for(std::uint32_t value, WaitTest test = WaitTest::Equal,
                    std::uint32_t address = kAddress) {
    return event(SemaphoreWait, static_cast<std::uint8_t>(test), value, address);
}
TraceEvent store(std::uint32_t value, std::uint32_t address = kAddress) {
    return event(LocalWord, 0, value, address);
}

// Cycles: semaphore_issue 22, poll 8, local_word 5.
TEST(Words, AWaitEndsWhenTheAdditionArrives) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({add_to({1, 0}, 1)});
    builder.core({1, 0}).reader({wait_for(1)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(timeline.makespan, 22 * kCycle + fixed::kDelivered + 8 * kCycle);
    EXPECT_EQ(cycles_of(timeline, 1, Activity::WaitSemaphore), 122);
    const Interval& wait = timeline.threads[1].intervals.at(0);
    EXPECT_EQ(wait.object, kAddress);
    const WaitCause& cause = timeline.causes.at(wait.cause);
    EXPECT_EQ(cause.thread, 0U);
    EXPECT_EQ(cause.time, 22 * kCycle);
}

TEST(Words, InitialValuesStandFromTheBeginning) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({wait_for(5), wait_for(4, WaitTest::AtLeast)});
    builder.trace.launches[0].initial_words.push_back({0, {0, 0}, kAddress, 5});

    EXPECT_EQ(builder.run().makespan, (8 + 8) * kCycle);
}

TEST(Words, AStoreOfOwnCoreEndsAWait) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({event(NocSetState, 0, 10), store(1)}).writer({wait_for(1)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(timeline.makespan, (180 + 5 + 8) * kCycle);
    const WaitCause& cause = timeline.causes.at(timeline.threads[1].intervals.at(0).cause);
    EXPECT_EQ(cause.thread, 0U);
    EXPECT_EQ(cause.time, 185 * kCycle);
}

TEST(Words, AWaitIsOverThatWasOvertaken) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({add_to({1, 0}, 1), add_to({1, 0}, 1)});
    builder.core({1, 0}).reader({event(NocSetState, 0, 20), wait_for(1), wait_for(2)});

    // Both additions have arrived by 144; the waits begin at 360.
    EXPECT_EQ(builder.run().makespan, (360 + 8 + 8) * kCycle);
}

TEST(Words, AnOldValueDoesNotEndALaterWait) {
    TraceBuilder builder;
    builder.core({0, 0}).reader(
        {event(NocSetState, 0, 20),
         event(WordWrite, 0, 0, WordArgument{kAddress, NocPlace::worker({1, 0}), 0}.pack())});
    builder.core({1, 0}).reader({store(1), wait_for(0)});

    // The initial value is 0; the wait is for the write of 360 + 22.
    EXPECT_EQ(builder.run().makespan, 382 * kCycle + fixed::kDelivered + 8 * kCycle);
}

TEST(Words, AMulticastReachesEachCoreButItsSender) {
    TraceBuilder builder;
    const auto everywhere = MulticastArgument{{0, 0}, {1, 1}, kAddress}.pack();
    builder.core({0, 0}).reader({event(MulticastWord, 0, 1, everywhere), wait_for(0)});
    builder.core({1, 0}).reader({wait_for(1)});
    builder.core({0, 1}).reader({wait_for(1)});
    builder.core({1, 1}).reader({wait_for(1)});

    const LaunchTimeline timeline = builder.run();

    for (std::size_t thread = 1; thread < 4; ++thread) {
        EXPECT_EQ(cycles_of(timeline, thread, Activity::WaitSemaphore), 122) << thread;
    }
    EXPECT_EQ(cycles_of(timeline, 0, Activity::WaitSemaphore), 0);
}

TEST(Words, AnAtomicBarrierWaitsForTheAcknowledgement) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({add_to({0, 0}, 1), event(AtomicBarrier), event(WriteBarrier)});

    EXPECT_EQ(builder.run().makespan, 22 * kCycle + fixed::kAcknowledged + 20 * kCycle);
}

TEST(Words, OfDifferentCoresAreDifferent) {
    TraceBuilder builder;
    builder.core({0, 0}).reader({add_to({1, 0}, 1), add_to({0, 1}, 1, kAddress + 16)});
    builder.core({1, 0}).reader({wait_for(1)});
    builder.core({0, 1}).reader({wait_for(1, WaitTest::AtLeast, kAddress + 16)});

    const LaunchTimeline timeline = builder.run();

    EXPECT_EQ(cycles_of(timeline, 1, Activity::WaitSemaphore), 122);
    EXPECT_EQ(cycles_of(timeline, 2, Activity::WaitSemaphore), 144);
}

}  // namespace
}  // namespace tessera::timing
