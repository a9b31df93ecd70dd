// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/identical_devices.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/fixed_transport.hpp"
#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;
constexpr std::uint32_t kAddress = 0xA000;

/// Three devices, each with a core whose reader reads and increments a word that its writer waits
/// for. The last device's reader reads `last` times.
TraceBuilder three_devices(std::uint32_t last) {
    TraceBuilder builder(3);
    builder.timing.dispatch.launch_latency = Cycles{100};
    for (std::uint16_t device = 0; device < 3; ++device) {
        const WordArgument word{kAddress, NocPlace::worker({0, 0}), device};
        builder.core({0, 0}, {}, device)
            .reader({read(64, device == 2 ? last : 1), event(ReadBarrier),
                     event(SemaphoreAdd, 0, 1, word.pack())})
            .writer({event(SemaphoreWait, 1, 1, kAddress)});
    }
    return builder;
}

std::vector<std::size_t> representatives(const TraceBuilder& builder) {
    return partition(builder.trace.launches[0], 3).representatives;
}

TEST(IdenticalDevices, DoTheSameOnTheirOwnDevice) {
    EXPECT_EQ(representatives(three_devices(1)), (std::vector<std::size_t>{0, 0, 0}));
}

TEST(IdenticalDevices, DifferByAnEvent) {
    EXPECT_EQ(representatives(three_devices(2)), (std::vector<std::size_t>{0, 0, 2}));
}

TEST(IdenticalDevices, DifferByAnInitialWord) {
    TraceBuilder builder = three_devices(1);
    builder.trace.launches[0].initial_words = {{1, {0, 0}, kAddress, 1}};

    EXPECT_EQ(representatives(builder), (std::vector<std::size_t>{0, 1, 0}));
}

TEST(IdenticalDevices, TakeTheTimesOfTheOneThatIsReplayed) {
    // With one more read on the last device, devices 0 and 1 are identical to each other. Replayed
    // alone, they differ.
    TraceBuilder builder = three_devices(2);
    const std::vector<Millicycles> starts{0, 70 * kCycle, 30 * kCycle};
    const Machine machine{builder.arch, builder.timing, builder.mesh};

    const LaunchTimeline timeline =
        replay(builder.trace, builder.trace.launches[0], machine, {.device_start = starts});
    std::erase_if(builder.trace.launches[0].cores,
                  [](const CoreTrace& core) { return core.device != 1; });
    const LaunchTimeline alone =
        replay(builder.trace, builder.trace.launches[0], machine, {.device_start = starts});

    EXPECT_EQ(timeline.device_end[1], alone.device_end[1]);
    EXPECT_EQ(timeline.device_end[0], alone.device_end[1] - 70 * kCycle);
    EXPECT_EQ(timeline.threads[2].device, 1);
    for (std::size_t thread = 0; thread < 2; ++thread) {
        const auto& shared = timeline.threads[2 + thread];
        EXPECT_EQ(shared.totals, alone.threads[thread].totals);
        ASSERT_EQ(shared.intervals.size(), alone.threads[thread].intervals.size());
        for (std::size_t i = 0; i < shared.intervals.size(); ++i) {
            EXPECT_EQ(shared.intervals[i].end, alone.threads[thread].intervals[i].end);
        }
    }
}

TEST(IdenticalDevices, ReleaseTheIntervalsOfAPartThatWasPassedOn) {
    const TraceBuilder builder = three_devices(2);
    const std::vector<Millicycles> starts{0, 70 * kCycle, 30 * kCycle};
    const Machine machine{builder.arch, builder.timing, builder.mesh};
    const LaunchTrace& launch = builder.trace.launches[0];
    const LaunchTimeline whole = replay(builder.trace, launch, machine, {.device_start = starts});
    std::map<std::size_t, std::size_t> passed_on;  // intervals by part

    const LaunchTimeline timeline =
        replay(builder.trace, launch, machine,
               {.device_start = starts, .on_part = [&](std::size_t part, const auto& replayed) {
                    static std::mutex mutex;
                    const std::scoped_lock lock(mutex);
                    passed_on[part] = replayed.threads[0].intervals.size();
                }});

    ASSERT_EQ(passed_on.size(), 2U) << "device 1 is identical to device 0";
    EXPECT_EQ(passed_on[2], whole.threads[4].intervals.size());
    for (std::size_t i = 0; i < whole.threads.size(); ++i) {
        EXPECT_EQ(timeline.threads[i].totals, whole.threads[i].totals) << i;
        EXPECT_EQ(timeline.threads[i].intervals.capacity(), 0U) << i;
    }
    EXPECT_EQ(timeline.causes.capacity(), 0U);
    ASSERT_EQ(timeline.critical_path.size(), whole.critical_path.size());
    for (std::size_t i = 0; i < whole.critical_path.size(); ++i) {
        EXPECT_EQ(timeline.critical_path[i].begin, whole.critical_path[i].begin) << i;
        EXPECT_EQ(timeline.critical_path[i].end, whole.critical_path[i].end) << i;
        EXPECT_EQ(timeline.critical_path[i].thread, whole.critical_path[i].thread) << i;
    }
}

TEST(ReplayCache, GivesALaunchWhatTheOneBeforeDid) {
    TraceBuilder builder = three_devices(2);
    const LaunchTrace& launch = builder.trace.launches[0];
    const Machine machine{builder.arch, builder.timing, builder.mesh};
    ReplayCache cache;
    const std::vector<Millicycles> none(3);
    const std::vector<Millicycles> later{0, 0, 40 * kCycle};

    const LaunchTimeline first =
        replay(builder.trace, launch, machine, {.device_start = none, .cache = &cache});
    ASSERT_EQ(cache.entries.size(), 2U);
    cache.entries[1].timeline.num_events += 1000;  // shows whether the entry is used
    const LaunchTimeline again =
        replay(builder.trace, launch, machine, {.device_start = later, .cache = &cache});

    EXPECT_EQ(again.num_events, first.num_events + 1000);
    EXPECT_EQ(again.device_end[2], first.device_end[2] + 40 * kCycle);
    EXPECT_EQ(again.device_end[0], first.device_end[0]);
    EXPECT_EQ(again.device_start, later);
    EXPECT_EQ(device_time(again), device_time(first));
}

TEST(ReplayCache, IsOfTheLaunchBeforeOnly) {
    const TraceBuilder builder = three_devices(2);
    TraceBuilder other = three_devices(3);
    const Machine machine{builder.arch, builder.timing, builder.mesh};
    ReplayCache cache;

    const auto end = [&](const TraceBuilder& replayed) {
        return replay(replayed.trace, replayed.trace.launches[0], machine, {.cache = &cache})
            .device_end[2];
    };

    const Millicycles with_two = end(builder);
    EXPECT_EQ(end(other), with_two + 25 * kCycle);
    EXPECT_EQ(end(builder), with_two);
}

}  // namespace
}  // namespace tessera::timing
