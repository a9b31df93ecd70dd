// SPDX-License-Identifier: Apache-2.0
// Replays of recorded runs: every thread's busy and waiting times add up to the makespan, every
// wait has a cause, and the critical path covers the makespan.
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "emu/timing/critical_path.hpp"
#include "emu/timing/run.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera {
namespace {

struct Recorded {
    config::LoadedRun loaded;
    Trace trace;
};

Recorded record(const std::string& name) {
    const auto path =
        std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "runs" / (name + ".yaml");
    Recorded recorded{config::load_run(path), {}};
    std::vector<LaunchTrace> launches;
    pipeline::RunModes modes{.trace = TraceMode::On, .maths = Maths::Off};
    modes.trace_sink = [&](const Trace& so_far, LaunchTrace&& launch) {
        recorded.trace = so_far;
        launches.push_back(std::move(launch));
    };
    (void)pipeline::run_pipeline(recorded.loaded, modes);
    recorded.trace.launches = std::move(launches);
    return recorded;
}

RunTimeline replayed(const Recorded& recorded, const TimingSpec& timing) {
    return timing::replay_run(recorded.trace,
                              {recorded.loaded.arch, timing, recorded.loaded.run.mesh});
}

void expect_closed(const LaunchTimeline& timeline, const ThreadTimeline& thread) {
    std::array<Millicycles, kNumActivities> totals{};
    Millicycles at = 0;
    for (const Interval& interval : thread.intervals) {
        ASSERT_GT(interval.end, at);
        totals[static_cast<std::size_t>(interval.activity)] += interval.end - at;
        at = interval.end;
        ASSERT_LT(interval.site, thread.sites.size());
        ASSERT_EQ(is_wait(interval.activity), interval.cause != kNoCause);
        if (is_wait(interval.activity)) {
            const WaitCause& cause = timeline.causes.at(interval.cause);
            ASSERT_LT(cause.site, timeline.threads.at(cause.thread).sites.size());
            ASSERT_EQ(std::accumulate(cause.transit.begin(), cause.transit.end(), cause.time), at);
        }
    }
    EXPECT_EQ(at, timeline.makespan);
    EXPECT_EQ(totals, thread.totals);
}

void expect_covered(const LaunchTimeline& timeline) {
    Millicycles at = 0;
    for (const PathStep& step : timeline.critical_path) {
        ASSERT_EQ(step.begin, at);
        ASSERT_GT(step.end, step.begin);
        at = step.end;
    }
    EXPECT_EQ(at, timeline.makespan);
}

class RecordedReplay : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedReplay, Closes) {
    const Recorded recorded = record(GetParam());

    for (const TimingSpec* timing : {&recorded.loaded.timing.low, &recorded.loaded.timing.expected,
                                     &recorded.loaded.timing.high}) {
        const RunTimeline run = replayed(recorded, *timing);
        EXPECT_GT(run.makespan, 0);
        for (const LaunchTimeline& launch : run.launches) {
            SCOPED_TRACE(launch.name);
            for (const ThreadTimeline& thread : launch.threads) {
                expect_closed(launch, thread);
            }
            expect_covered(launch);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Runs, RecordedReplay,
                         ::testing::Values("copy", "exp", "matmul_640", "moe_v2_tiny", "reshard",
                                           "vector_add"),
                         [](const auto& test) { return std::string(test.param); });

TEST(RecordedRun, IsShortAtTheFavourableEndsAndLongAtTheOthers) {
    const Recorded recorded = record("moe_v2_tiny");
    const TimingBounds& timing = recorded.loaded.timing;

    const Millicycles low = replayed(recorded, timing.low).makespan;
    const Millicycles expected = replayed(recorded, timing.expected).makespan;
    const Millicycles high = replayed(recorded, timing.high).makespan;

    EXPECT_LT(low, expected);
    EXPECT_LT(expected, high);
}

}  // namespace
}  // namespace tessera
