// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/dispatch_queue.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::timing {
namespace {

constexpr Millicycles kGap = 100 * kMillicyclesPerCycle;

TimingSpec make_timing() {
    TimingSpec timing;
    timing.dispatch.program_gap = Cycles{100};
    timing.dispatch.config_ring = Bytes{1000};
    timing.dispatch.launch_messages = 4;
    return timing;
}

/// Returns the starts of programs that all take `run`.
std::vector<Millicycles> starts_of(std::size_t count, const DispatchWork& work, Millicycles run) {
    DispatchQueue queue(make_timing());
    std::vector<Millicycles> starts;
    for (std::size_t i = 0; i < count; ++i) {
        starts.push_back(queue.start_of(work));
        queue.ended(starts.back() + run);
    }
    return starts;
}

TEST(DispatchQueue, LeavesTheGapBetweenProgramsThatRunForLong) {
    const auto starts = starts_of(3, {2000, 3000, 10}, 5'000'000);

    EXPECT_EQ(starts, (std::vector<Millicycles>{3000, 3000 + 5'000'000 + kGap,
                                                3000 + 2 * (5'000'000 + kGap)}));
}

TEST(DispatchQueue, TheSlowerStageSetsThePaceOfShortPrograms) {
    EXPECT_EQ(starts_of(3, {700'000, 300'000, 10}, 1000),
              (std::vector<Millicycles>{700'000, 1'400'000, 2'100'000}));
    EXPECT_EQ(starts_of(3, {300'000, 700'000, 10}, 1000),
              (std::vector<Millicycles>{700'000, 1'400'000, 2'100'000}));
}

TEST(DispatchQueue, DispatchWaitsForTheProgramBeforeIfTheRingDoesNotHoldBoth) {
    const std::vector<Millicycles> overlapped{600'000, 1'600'000, 2'600'000};
    EXPECT_EQ(starts_of(3, {0, 600'000, 500}, 900'000), overlapped);

    const std::vector<Millicycles> waiting{600'000, 2'200'000, 3'800'000};
    EXPECT_EQ(starts_of(3, {0, 600'000, 501}, 900'000), waiting);
}

TEST(DispatchQueue, IsAheadByNoMoreProgramsThanThereAreLaunchMessages) {
    DispatchQueue queue(make_timing());
    const Millicycles first = queue.start_of({0, 1000, 0});
    queue.ended(first + 9'000'000);
    std::vector<Millicycles> starts;
    for (int i = 0; i < 4; ++i) {
        starts.push_back(queue.start_of({0, 500'000, 0}));
        queue.ended(starts.back() + 1000);
    }

    // Three are dispatched while the first runs; the fourth from its end on.
    const Millicycles known_end = first + 9'000'000 + kGap;
    EXPECT_EQ(starts,
              (std::vector<Millicycles>{known_end, known_end + 1000 + kGap,
                                        known_end + 2 * (1000 + kGap), known_end + 500'000}));
}

TEST(DispatchQueue, AProgramThatTheHostEnqueuesLateIsNotHandedOutAhead) {
    TimingSpec timing = make_timing();
    timing.dispatch.host_read = Seconds{20e-6};
    timing.clock = Hertz{1e9};
    DispatchQueue queue(timing);
    EXPECT_EQ(queue.host_read_end(), 0) << "nothing runs yet";
    queue.ended(queue.start_of({0, 1000}) + 500'000);

    const Millicycles enqueued = queue.host_read_end();
    EXPECT_EQ(enqueued, 1000 + 500'000 + 20'000'000) << "20 us at 1 GHz";
    EXPECT_EQ(queue.start_of({3000, 2000}, enqueued), enqueued + 3000);
}

TEST(DispatchQueue, AProgramLargerThanTheRingWaitsForTheOneBefore) {
    DispatchQueue queue(make_timing());
    queue.ended(queue.start_of({0, 1000, 5000}) + 2000);

    EXPECT_EQ(queue.start_of({0, 1000, 0}), 3000 + kGap + 1000);
}

}  // namespace
}  // namespace tessera::timing
