// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

TEST(EventQueue, TellsLateTimesAndHighSubjects) {
    EventQueue queue;
    queue.push(std::int64_t{1} << 60, QueueEvent::ThreadReady, (1U << 26U) - 1);
    queue.push((std::int64_t{1} << 60) - 1, QueueEvent::TransferStage, 0);

    EXPECT_EQ(queue.pop().subject, 0U);
    EXPECT_EQ(queue.pop().subject, (1U << 26U) - 1);
}

}  // namespace
}  // namespace tessera::timing
