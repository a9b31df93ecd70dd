// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

namespace tessera::timing {
namespace {

TEST(EventQueue, GivesEventsInOrderOfTime) {
    EventQueue queue;
    std::mt19937 random(1);
    std::vector<Millicycles> times;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        times.push_back(static_cast<Millicycles>(random() % 300));
        queue.push(times.back(), QueueEvent::TransferStage, i);
    }
    std::ranges::sort(times);

    for (const Millicycles time : times) {
        EXPECT_EQ(queue.next_time(), time);
        EXPECT_EQ(queue.pop().time, time);
    }
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.next_time(), EventQueue::kNever);
}

TEST(EventQueue, GivesEventsOfOneTimeInOrderOfArrival) {
    EventQueue queue;
    for (std::uint32_t i = 0; i < 50; ++i) {
        queue.push(7, i % 2 == 0 ? QueueEvent::ThreadReady : QueueEvent::TransferStage, i);
    }

    for (std::uint32_t i = 0; i < 50; ++i) {
        const EventQueue::Entry entry = queue.pop();
        EXPECT_EQ(entry.subject, i);
        EXPECT_EQ(entry.event, i % 2 == 0 ? QueueEvent::ThreadReady : QueueEvent::TransferStage);
    }
}

/// Inserts events as in a replay: mostly near, some far ahead, some before the last one.
TEST(EventQueue, GivesWhatASortedListGives) {
    EventQueue queue;
    std::mt19937 random(2);
    std::set<std::pair<Millicycles, std::uint32_t>> expected;
    Millicycles now = 0;
    for (std::uint32_t i = 0; i < 20000; ++i) {
        const std::array<Millicycles, 4> reach{500, 60'000, 5'000'000, 900'000'000};
        const Millicycles back = random() % 8 == 0 ? 3000 : 0;
        const auto ahead = static_cast<Millicycles>(random()) % reach[random() % reach.size()];
        const Millicycles time = std::max<Millicycles>(0, now + ahead - back);
        queue.push(time, QueueEvent::TransferStage, i);
        expected.emplace(time, i);
        for (auto taken = random() % 3; taken > 0 && !expected.empty(); --taken) {
            ASSERT_EQ(queue.next_time(), expected.begin()->first);
            const EventQueue::Entry entry = queue.pop();
            ASSERT_EQ(std::pair(entry.time, entry.subject), *expected.begin());
            expected.erase(expected.begin());
            now = entry.time;
        }
    }
    for (const auto& event : expected) {
        ASSERT_EQ(queue.pop().subject, event.second);
    }
    EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, TellsLateTimesAndHighSubjects) {
    EventQueue queue;
    queue.push(std::int64_t{1} << 60, QueueEvent::ThreadReady, (1U << 26U) - 1);
    queue.push((std::int64_t{1} << 60) - 1, QueueEvent::TransferStage, 0);

    EXPECT_EQ(queue.pop().subject, 0U);
    EXPECT_EQ(queue.pop().subject, (1U << 26U) - 1);
}

}  // namespace
}  // namespace tessera::timing
