// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/critical_path.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

/// Returns a reader that pushes one page at a time to compute, whose results a writer sends; the
/// reader bounds the time.
TraceBuilder pipeline(int pages) {
    std::vector<TraceEvent> reader;
    std::vector<TraceEvent> kernel;
    std::vector<TraceEvent> writer;
    for (int i = 0; i < pages; ++i) {
        for (const TraceEvent& each :
             {cb(CbReserve, 0, 1), read(2048), event(ReadBarrier), cb(CbPush, 0, 1)}) {
            reader.push_back(each);
        }
        for (const TraceEvent& each :
             {cb(CbWait, 0, 1), event(DstAcquire), compute(Copy),
              event(Sfpu, SfpuDetail::kApproximate, 1, 2), event(DstCommit), event(DstWait),
              cb(CbReserve, 1, 1), compute(Pack), event(DstRelease), cb(CbPush, 1, 1),
              cb(CbPop, 0, 1)}) {
            kernel.push_back(each);
        }
        for (const TraceEvent& each :
             {cb(CbWait, 1, 1), write(2048), event(WriteBarrier), cb(CbPop, 1, 1)}) {
            writer.push_back(each);
        }
    }
    TraceBuilder builder;
    builder.core({0, 0}, {2, 2}).writer(writer).reader(reader).compute(kernel);
    return builder;
}

void expect_closed(const LaunchTimeline& timeline) {
    for (const ThreadTimeline& thread : timeline.threads) {
        Millicycles end = 0;
        std::array<Millicycles, kNumActivities> totals{};
        for (const Interval& interval : thread.intervals) {
            EXPECT_GT(interval.end, end);
            totals[static_cast<std::size_t>(interval.activity)] += interval.end - end;
            if (is_wait(interval.activity)) {
                ASSERT_NE(interval.cause, kNoCause);
                const WaitCause& cause = timeline.causes.at(interval.cause);
                EXPECT_EQ(std::accumulate(cause.transit.begin(), cause.transit.end(), cause.time),
                          interval.end);
            }
            end = interval.end;
        }
        EXPECT_EQ(end, timeline.makespan);
        EXPECT_EQ(totals, thread.totals);
    }
}

TEST(CriticalPath, CoversTheMakespanWithoutGap) {
    const LaunchTimeline timeline = pipeline(5).run();

    Millicycles at = 0;
    for (const PathStep& step : timeline.critical_path) {
        EXPECT_EQ(step.begin, at);
        EXPECT_GT(step.end, step.begin);
        at = step.end;
    }
    EXPECT_EQ(at, timeline.makespan);
    expect_closed(timeline);
}

TEST(CriticalPath, OfAPipelineBoundByReadsIsTheReadsAndTheLastPagesWay) {
    const LaunchTimeline timeline = pipeline(5).run();

    const PathShares shares = shares_of(timeline);

    // 5 × (7 + 25 + 200 + 10 + 6) for the reader; then wait 6, unpack 32, copy 16, sfpu 100, commit
    // 11, wait 11 and pack 37, release 11, push 6, wait 9, issue 20, acknowledgement 150, poll 10,
    // pop 4. Reserve and acquire happen before the data arrives.
    EXPECT_EQ(
        timeline.makespan,
        (5 * 248 + 6 + 32 + 16 + 100 + 11 + 11 + 6 + 37 + 11 + 6 + 9 + 20 + 150 + 10 + 4) * kCycle);
    EXPECT_EQ(shares.resources[static_cast<std::size_t>(ResourceKind::NocLatency)],
              (5 * 200 + 150) * kCycle);
    EXPECT_EQ(shares.activities[static_cast<std::size_t>(Activity::Sfpu)], 100 * kCycle);
    const Millicycles sum =
        std::accumulate(shares.activities.begin(), shares.activities.end(), Millicycles{0}) +
        std::accumulate(shares.resources.begin(), shares.resources.end(), Millicycles{0});
    EXPECT_EQ(sum, timeline.makespan);
    const Millicycles lines =
        std::accumulate(shares.lines.begin(), shares.lines.end(), Millicycles{0},
                        [](Millicycles total, const LineShare& line) { return total + line.time; });
    EXPECT_EQ(lines, timeline.makespan);
}

TEST(CriticalPath, LessOnItShortensTheRunAndLessBesideItDoesNot) {
    const Millicycles whole = pipeline(5).run().makespan;

    TraceBuilder on = pipeline(5);
    on.timing.risc.read_issue_dram = Cycles{12.5};
    TraceBuilder off = pipeline(5);
    off.timing.compute.pack_tile_32bit = Cycles{1};
    TraceBuilder hidden = pipeline(5);
    hidden.timing.risc.cb_pop = Cycles{2};

    EXPECT_EQ(on.run().makespan, whole - 5 * 12'500);
    EXPECT_EQ(off.run().makespan, whole);
    EXPECT_EQ(hidden.run().makespan, whole - 2'000) << "only the writer's last pop is on it";
}

TEST(CriticalPath, GoesThroughOtherCores) {
    TraceBuilder builder;
    builder.core({0, 0}).reader(
        {event(NocSetState, 0, 10),
         event(SemaphoreAdd, 0, 1, WordArgument{64, NocPlace::worker({1, 0}), 0}.pack())});
    builder.core({1, 0}).reader({event(SemaphoreWait, 0, 1, 64), event(NocSetState)});

    const LaunchTimeline timeline = builder.run();

    ASSERT_EQ(timeline.critical_path.size(), 5U);
    EXPECT_EQ(timeline.critical_path[0].activity, Activity::ReadIssue);
    EXPECT_EQ(timeline.critical_path[0].thread, 0U);
    EXPECT_EQ(timeline.critical_path[1].activity, Activity::SemaphoreIssue);
    EXPECT_EQ(timeline.critical_path[2].resource, ResourceKind::NocLatency);
    EXPECT_EQ(timeline.critical_path[2].thread, 0U);
    EXPECT_EQ(timeline.critical_path[2].end - timeline.critical_path[2].begin, fixed::kDelivered);
    EXPECT_EQ(timeline.critical_path[4].thread, 1U);
}

/// Two threads that wake each other `rounds` times with words that take 1 cycle.
LaunchTimeline word_exchange(int rounds) {
    LaunchTimeline timeline;
    timeline.makespan = rounds * kCycle;
    timeline.threads.resize(2);
    for (int i = 0; i < rounds; ++i) {
        for (std::uint32_t thread = 0; thread < 2; ++thread) {
            WaitCause cause{.thread = 1 - thread, .site = 0, .time = i * kCycle, .transit = {}};
            cause.transit[static_cast<std::size_t>(ResourceKind::NocLatency)] = kCycle;
            timeline.threads[thread].intervals.push_back(
                {.end = (i + 1) * kCycle,
                 .cause = static_cast<std::uint32_t>(timeline.causes.size()),
                 .activity = Activity::WaitSemaphore});
            timeline.causes.push_back(cause);
        }
    }
    return timeline;
}

TEST(CriticalPath, FollowsAnyNumberOfWaitsWhoseTransitsTakeTime) {
    const std::vector<PathStep> path = critical_path(word_exchange(100));

    ASSERT_EQ(path.size(), 100U);
    EXPECT_EQ(path.front().begin, 0);
    EXPECT_EQ(path.back().end, 100 * kCycle);
    EXPECT_NE(path[41].thread, path[42].thread);
}

TEST(CriticalPath, FollowsAWaitLongerThanATransitCanSay) {
    // A packet that waited 10 M cycles in a queue; its transit accounts for 4.3 M.
    constexpr Millicycles kLong = 10'000'000 * kCycle;
    LaunchTimeline timeline;
    timeline.makespan = kCycle + kLong;
    WaitCause cause{.thread = 0, .site = 0, .time = kCycle, .transit = {}};
    cause.transit[static_cast<std::size_t>(ResourceKind::NocLatency)] = 2 * kCycle;
    cause.transit[static_cast<std::size_t>(ResourceKind::NocInjection)] = WaitCause::kMost;
    timeline.causes.push_back(cause);
    timeline.threads.resize(1);
    timeline.threads[0].intervals = {
        {.end = kCycle, .activity = Activity::WriteIssue},
        {.end = timeline.makespan, .cause = 0, .activity = Activity::WaitNocWrite}};

    const std::vector<PathStep> path = critical_path(timeline);

    ASSERT_EQ(path.size(), 3U);
    EXPECT_EQ(path[1].resource, ResourceKind::NocInjection);
    EXPECT_EQ(path[1].end - path[1].begin, kLong - 2 * kCycle);
}

TEST(Replay, GivesTheSameTimelineEachTime) {
    const TraceBuilder builder = pipeline(7);
    const LaunchTimeline first = builder.run();
    const LaunchTimeline second = builder.run();

    EXPECT_EQ(first.makespan, second.makespan);
    ASSERT_EQ(first.threads.size(), second.threads.size());
    for (std::size_t i = 0; i < first.threads.size(); ++i) {
        ASSERT_EQ(first.threads[i].intervals.size(), second.threads[i].intervals.size());
        for (std::size_t j = 0; j < first.threads[i].intervals.size(); ++j) {
            EXPECT_EQ(first.threads[i].intervals[j].end, second.threads[i].intervals[j].end);
        }
    }
}

TEST(Replay, GivesTheSameTotalsWithoutIntervals) {
    const TraceBuilder builder = pipeline(7);

    const LaunchTimeline with = builder.run();
    const LaunchTimeline without = builder.run({.keeps = Keep::Totals});

    EXPECT_EQ(without.makespan, with.makespan);
    for (std::size_t i = 0; i < with.threads.size(); ++i) {
        EXPECT_EQ(without.threads[i].totals, with.threads[i].totals);
        EXPECT_TRUE(without.threads[i].intervals.empty());
    }
    EXPECT_TRUE(without.critical_path.empty());
    EXPECT_EQ(with.num_events, 7 * (4 + 11 + 4));
}

TEST(Replay, FindsTheSameCriticalPathWhereItPrunesWhatCannotBePartOfIt) {
    const TraceBuilder builder = pipeline(200);

    const LaunchTimeline all = builder.run();
    const LaunchTimeline pruned = builder.run({.keeps = Keep::CriticalPath, .most_causes = 32});

    ASSERT_EQ(pruned.critical_path.size(), all.critical_path.size());
    for (std::size_t i = 0; i < all.critical_path.size(); ++i) {
        const PathStep& step = pruned.critical_path[i];
        EXPECT_EQ(step.begin, all.critical_path[i].begin);
        EXPECT_EQ(step.end, all.critical_path[i].end);
        EXPECT_EQ(step.thread, all.critical_path[i].thread);
        EXPECT_EQ(step.site, all.critical_path[i].site);
        EXPECT_EQ(step.activity, all.critical_path[i].activity);
        EXPECT_EQ(step.resource, all.critical_path[i].resource);
    }
    EXPECT_TRUE(pruned.causes.empty());
    EXPECT_TRUE(pruned.threads.front().intervals.empty());
}

}  // namespace
}  // namespace tessera::timing
