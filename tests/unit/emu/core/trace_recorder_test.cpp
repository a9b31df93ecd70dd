// SPDX-License-Identifier: Apache-2.0
#include "emu/core/trace_recorder.hpp"

#include <gtest/gtest.h>

#include "tests/trace_events.hpp"

namespace tessera {
namespace {

constexpr CallSite kLine3{"reader.cpp", 3};
constexpr CallSite kLine67{"reader.cpp", 67};  // maps to the same cache slot as line 3
constexpr CallSite kOtherFile{"slice.hpp", 3};

TEST(TraceRecorder, MergesEqualActsInARow) {
    TraceRecorder recorder;
    for (int i = 0; i < 3; ++i) {
        recorder.run(EventKind::CbPush, 2, 1, kLine3);
    }

    const std::vector<TraceEvent> expected{{EventKind::CbPush, 2, 1, 3, 1}};
    EXPECT_EQ(recorder.events(), expected);
}

TEST(TraceRecorder, DoesNotMergeWhatDiffersInAnyField) {
    TraceRecorder recorder;
    recorder.run(EventKind::CbPush, 2, 1, kLine3);
    recorder.run(EventKind::CbPop, 2, 1, kLine3);
    recorder.run(EventKind::CbPop, 3, 1, kLine3);
    recorder.run(EventKind::CbPop, 3, 2, kLine3);
    recorder.run(EventKind::CbPop, 3, 2, kLine67);
    recorder.run(EventKind::CbPush, 2, 1, kLine3);

    EXPECT_EQ(recorder.events().size(), 6U);
}

TEST(TraceRecorder, DoesNotMergeActsWhoseCountIsAValue) {
    TraceRecorder recorder;
    recorder.append(EventKind::WordWrite, 0, 1, 40960, kLine3);
    recorder.append(EventKind::WordWrite, 0, 1, 40960, kLine3);

    EXPECT_EQ(recorder.events().size(), 2U);
}

TEST(TraceRecorder, BeginsANewEventWhenTheCountIsFull) {
    TraceRecorder recorder;
    recorder.run(EventKind::Pack, 0, 1, kLine3);
    recorder.events().back().count = kMostOfARun;
    recorder.run(EventKind::Pack, 0, 1, kLine3);

    ASSERT_EQ(recorder.events().size(), 2U);
    EXPECT_EQ(recorder.events().back().count, 1U);
}

/// Returns the last but one event of `recorder`.
TraceEvent before_last(TraceRecorder& recorder) {
    return recorder.events().at(recorder.events().size() - 2);
}

TEST(TraceRecorder, PutsInstructionsInFrontOfTheCallThatFollowsThem) {
    InstructionCounters counters;
    TraceRecorder recorder(&counters);
    recorder.run(EventKind::CbWait, 2, 1, kLine3);
    counters.slots_and_load_waits += 100 | std::uint64_t{7} << 32U;
    counters.store_waits_and_products += 5 | std::uint64_t{3} << 32U;
    counters.dividend_bits += 12;
    recorder.run(EventKind::CbPop, 2, 1, kLine67);

    const InstructionArgument argument{
        .load_waits = 7, .store_waits = 5, .products = 3, .dividend_bits = 12, .calls = 1};
    EXPECT_EQ(before_last(recorder),
              (TraceEvent{EventKind::Instructions, 0, 2, 100, argument.pack()}));
    EXPECT_EQ(recorder.events().back().kind, EventKind::CbPop);
}

TEST(TraceRecorder, HoldsAFewInstructionsBackUntilTheEnd) {
    InstructionCounters counters;
    TraceRecorder recorder(&counters);
    for (int i = 0; i < 3; ++i) {
        counters.slots_and_load_waits += 3;
        recorder.run(EventKind::CbPush, 2, 1, kLine3);
    }
    EXPECT_EQ(recorder.events().size(), 1U);

    recorder.finish();

    ASSERT_EQ(recorder.events().size(), 2U);
    EXPECT_EQ(recorder.events().back().count, 9U);
    EXPECT_EQ(InstructionArgument::unpack(recorder.events().back().argument).calls, 3U);
}

TEST(TraceRecorder, SplitsWhatOneEventCannotHold) {
    InstructionCounters counters;
    TraceRecorder recorder(&counters);
    counters.slots_and_load_waits += 10 | std::uint64_t{20'000} << 32U;
    recorder.finish();

    ASSERT_EQ(recorder.events().size(), 2U);
    EXPECT_EQ(InstructionArgument::unpack(recorder.events()[0].argument).load_waits, 16'383U);
    EXPECT_EQ(InstructionArgument::unpack(recorder.events()[1].argument).load_waits, 3'617U);
    EXPECT_EQ(recorder.events()[0].count, 10U);
    EXPECT_EQ(recorder.events()[1].count, 0U);
}

TEST(TraceRecorder, NumbersSitesByFirstUseHoweverTheyAlternate) {
    TraceRecorder recorder;
    for (int i = 0; i < 3; ++i) {
        for (const CallSite site : {kLine67, kLine3, kOtherFile, CallSite{}}) {
            recorder.run(EventKind::CbPush, 0, 1, site);
        }
    }

    ASSERT_EQ(recorder.sites().size(), 4U);
    EXPECT_EQ(recorder.sites()[0].line, 0U);
    EXPECT_EQ(recorder.sites()[1].line, 67U);
    EXPECT_STREQ(recorder.sites()[3].file, "slice.hpp");
    const std::vector<TraceEvent>& events = recorder.events();
    ASSERT_EQ(events.size(), 12U);
    for (std::size_t i = 0; i < events.size(); ++i) {
        EXPECT_EQ(events[i].site, (i + 1) % 4) << i;
    }
}

// Events of a large launch are most of a run's memory.
TEST(TraceRecorder, HasMemoryForHalfAsManyEventsMoreAtMost) {
    TraceRecorder recorder;
    for (std::uint64_t i = 0; i < 50'000; ++i) {
        recorder.run(EventKind::CbPush, 0, i, kLine3);
        ASSERT_LE(recorder.events().capacity(), recorder.events().size() / 2 * 3 + 1024);
    }
}

TEST(TraceRecorder, LooksBackOnlyToTheSameLine) {
    TraceRecorder recorder;
    EXPECT_EQ(recorder.last_at(kLine3), nullptr);
    recorder.run(EventKind::UnitInit, 0, 1, kLine3);
    EXPECT_NE(recorder.last_at(kLine3), nullptr);
    EXPECT_EQ(recorder.last_at(kLine67), nullptr);
    recorder.run(EventKind::UnitInit, 0, 1, {});
    EXPECT_EQ(recorder.last_at({}), nullptr);
}

}  // namespace
}  // namespace tessera
